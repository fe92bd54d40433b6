import Foundation
import Glibc

/// An upstream that does exactly what the test says, to a gateway of several loops: each of them connects, and to the test
/// they are one. What it sends goes to whom it is for.
final class ScriptedUpstream: LineSocket {
  private static let longBytes = 1 << 16

  private let parts: [LineSocket]
  /// By an id or a token that one of them has named.
  private var owners: [String: LineSocket] = [:]
  private var last: LineSocket

  init(_ parts: [LineSocket]) {
    self.parts = parts
    last = parts[0]
    super.init(descriptor: parts[0].descriptor)
  }

  // MARK: Talking

  package override func send(bytes: [UInt8]) throws {
    // Of what is long one is sent at a time, and read only as far as needed: tests have clients that do not wait long.
    guard bytes.count < Self.longBytes else { return try owner(of: bytes[...]).send(bytes: bytes) }
    for message in Self.messages(of: bytes) { try owner(of: message).send(bytes: Array(message)) }
  }

  override func fill() throws -> Bool {
    while true {
      let part = try Self.awaitNews(of: parts)
      guard try part.fill() else {
        last = part
        return false
      }
      let whole = Self.messages(of: part.buffer).filter { Self.isWhole($0) }
      guard !whole.isEmpty else { continue }
      for message in whole { note(message, of: part) }
      let count = whole.map(\.count).reduce(0, +)
      buffer += part.buffer[..<count]
      part.buffer.removeFirst(count)
      return true
    }
  }

  override var isReadable: Bool { parts.contains { $0.hasNews } }

  // MARK: Whose it is

  private func note(_ message: ArraySlice<UInt8>, of part: LineSocket) {
    last = part
    guard let object = Self.object(message), object["method"] != nil else { return }
    for name in Self.names(of: object) { owners[name] = part }
  }

  /// Whom it is for: who has named what it names, or who spoke last.
  private func owner(of message: ArraySlice<UInt8>) -> LineSocket {
    guard let object = Self.object(message) else { return last }
    return Self.names(of: object).lazy.compactMap { self.owners[$0] }.first ?? last
  }

  /// The id of a request or an answer, and its tokens of progress.
  private static func names(of object: [String: Any]) -> [String] {
    let params = object["params"] as? [String: Any] ?? [:]
    let meta = params["_meta"] as? [String: Any] ?? [:]
    let values = [
      object["id"], params["id"], params["workDoneToken"], params["partialResultToken"], params["token"],
      params["progressToken"], meta["progressToken"],
    ]
    return values.compactMap { $0.map { "\($0)" } }
  }

  private static func object(_ message: ArraySlice<UInt8>) -> [String: Any]? {
    let isFramed = message.first == UInt8(ascii: "C")
    let text = isFramed ? message.drop { $0 != UInt8(ascii: "{") } : message
    guard text.count < longBytes else {
      let beginning = String(decoding: text.prefix(200), as: UTF8.self)
      return (beginning.firstMatch(of: /"id":(\d+)/)?.1).map { ["id": $0] }
    }
    return try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
  }

  // MARK: Where messages end

  /// The lines and frames in it, the last one maybe without its end.
  private static func messages(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var messages: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = length(of: rest) ?? rest.count
      messages.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return messages
  }

  private static func isWhole(_ message: ArraySlice<UInt8>) -> Bool { length(of: message) != nil }

  /// Of the first message, with its end; nil if it is not whole.
  private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = String(decoding: bytes[..<lineEnd], as: UTF8.self)
    let name = "Content-Length: "
    guard line.hasPrefix(name), let body = Int(line.dropFirst(name.count).filter(\.isNumber)) else {
      return lineEnd + 1 - bytes.startIndex
    }
    let whole = lineEnd + 1 - bytes.startIndex + 2 + body
    return whole <= bytes.count ? whole : nil
  }

  // MARK: Ending

  package override func finish() { for part in parts { part.finish() } }
  package override func close() { for part in parts { part.close() } }
  package override func reset() { for part in parts { part.reset() } }
}

extension ListeningSocket {
  /// Waits until a gateway has connected, with each of its loops.
  /// - Parameter environment: what the gateway has besides the test's.
  package func acceptGateway(_ environment: [String: String] = [:]) throws -> LineSocket {
    let parts = try (0..<RunningGateway.loops(in: environment)).map { _ in try accept() }
    return parts.count == 1 ? parts[0] : ScriptedUpstream(parts)
  }
}
