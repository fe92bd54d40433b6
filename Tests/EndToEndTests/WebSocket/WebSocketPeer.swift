import Foundation
import TestSupport
import Testing

/// A client's WebSocket, for tests that choose its bytes.
final class WebSocketPeer: Caller {
  static let text: UInt8 = 1
  static let binary: UInt8 = 2
  static let close: UInt8 = 8
  static let ping: UInt8 = 9
  static let pong: UInt8 = 10
  /// Key and answer of RFC 6455 section 1.3.
  static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  struct Failure: Error, CustomStringConvertible { let description: String }

  let socket: LineSocket
  let fields: [String: String]
  /// That of the Close that `receive` met; nil: none, or one without a code.
  private(set) var closeCode: UInt16?

  /// The bytes of a request for an upgrade.
  /// - Parameters:
  ///   - fields: further lines, each with its end.
  ///   - without: the names of fields that are left out.
  static func request(
    _ fields: String = "", line: String = "GET /chat HTTP/1.1", without: [String] = []
  ) -> [UInt8] {
    let usual = [
      "Host: localhost", "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: \(key)",
    ]
    let kept = usual.filter { field in !without.contains { field.hasPrefix($0 + ":") } }
    return Array("\(line)\r\n\(kept.map { $0 + "\r\n" }.joined())\(fields)\r\n".utf8)
  }

  /// Asks for the upgrade, which must be granted.
  /// - Parameter behind: bytes that come with the request.
  init(_ socket: LineSocket, _ fields: String = "", behind: [UInt8] = []) throws {
    self.socket = socket
    socket.sendAtOnce()
    try socket.send(bytes: Self.request(fields) + behind)
    guard let head = try socket.responseHead(), head.status == 101 else {
      throw Failure(description: "there was no upgrade")
    }
    self.fields = head.fields
  }

  // MARK: Talking

  func carried(_ text: [UInt8]) -> [UInt8] { LineSocket.frame(Self.text, text) }

  func send(_ opcode: UInt8, _ content: [UInt8], isLast: Bool = true) throws {
    try socket.send(bytes: LineSocket.frame(opcode, content, isLast: isLast))
  }

  /// The next text, whole; nil once a Close has come, or nothing more. A Ping is answered.
  func receive() throws -> String? {
    var content: [UInt8] = []
    var opcode = Self.text
    while let frame = try socket.seenFrame() {
      if frame.opcode == Self.close {
        closeCode = Self.code(of: frame)
        return nil
      }
      if frame.opcode == Self.ping {
        try send(Self.pong, frame.content)
        continue
      }
      guard frame.opcode == opcode else {
        throw Failure(description: "another frame: \(frame.opcode) \(frame.content.prefix(200))")
      }
      content += frame.content
      if frame.isLast { return String(validating: content, as: UTF8.self) }
      opcode = 0
    }
    return nil
  }

  // MARK: The end

  /// Next comes a Close with this code, and then nothing more.
  func expectClose(_ code: UInt16?, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let frame = try socket.seenFrame()
    #expect(
      frame?.opcode == Self.close && frame?.isLast == true, "\(frame as Any)", sourceLocation: sourceLocation)
    #expect(frame.flatMap(Self.code) == code, sourceLocation: sourceLocation)
    let reason = frame?.content.dropFirst(2) ?? []
    #expect(String(validating: reason, as: UTF8.self) != nil, sourceLocation: sourceLocation)
    #expect(try socket.seenFrame() == nil, sourceLocation: sourceLocation)
    #expect(!socket.wasReset, sourceLocation: sourceLocation)
  }

  private static func code(of close: SeenFrame) -> UInt16? {
    let content = close.content
    return content.count >= 2 ? UInt16(content[0]) << 8 | UInt16(content[1]) : nil
  }

  func sendClose(_ code: UInt16?, _ reason: [UInt8] = []) throws {
    try send(Self.close, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xff)] } ?? []) + reason)
  }
}
