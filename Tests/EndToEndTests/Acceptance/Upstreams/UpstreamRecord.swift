import Foundation
import TestSupport

/// What the recording upstream has written down, over all its lives.
struct UpstreamRecord {
  let path: String

  func heard() throws -> [HeardMessage] { try events().compactMap(HeardMessage.init) }

  /// The processes of it that there have ever been.
  func processes() throws -> [Int32] {
    try events().compactMap { $0["began"] == nil ? nil : ($0["pid"] as? Int).map(Int32.init) }
  }

  /// How many of its connections the other side has closed.
  func closed() throws -> Int { try events().count { $0["closed"] != nil } }

  /// The ids of the exchanges whose client hung up.
  func aborted() throws -> [Int] { try events().compactMap { $0["aborted"] as? Int } }

  /// What joined, left and was undone, in the order in which it came: "join 1", "leave 1", "left 1".
  func sessions() throws -> [String] {
    try events().compactMap { event in
      if let left = event["left"] as? Int { return "left \(left)" }
      guard let message = HeardMessage(event), message.method.hasPrefix("session.") else { return nil }
      let joined = message.params["params"] as? [String: Any] ?? message.params
      return "\(message.method.dropFirst("session.".count)) \(joined["marker"] as? Int ?? 0)"
    }
  }

  /// Waits until it says so.
  @discardableResult
  func wait(until isEnough: ([HeardMessage]) throws -> Bool) throws -> [HeardMessage] {
    try eventually("the upstream hears it") {
      let heard = try heard()
      return try isEnough(heard) ? heard : nil
    }
  }

  private func events() throws -> [[String: Any]] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return try Self.whole(data).map { try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:] }
  }

  /// The texts of a JSON text sequence, RFC 7464, that have their newline. One without is still being written, or was
  /// when its process was killed.
  static func whole(_ data: Data) -> [Data] {
    data.split(separator: 0x1e).filter { $0.last == 0x0a }
  }
}

/// A message as the recording upstream heard it.
struct HeardMessage {
  let process: Int32
  let connection: Int
  let method: String
  let id: Int?
  let params: [String: Any]
  /// The member of an envelope that only another lastword is told of.
  let task: [String: Any]?
  /// Over HTTP.
  let headers: [String: String]

  init?(_ event: [String: Any]) {
    guard let message = event["heard"] as? [String: Any] else { return nil }
    process = Int32(event["pid"] as? Int ?? 0)
    connection = event["connection"] as? Int ?? 0
    method = message["method"] as? String ?? ""
    id = message["id"] as? Int
    params = message["params"] as? [String: Any] ?? [:]
    task = message["task"] as? [String: Any]
    headers = event["headers"] as? [String: String] ?? [:]
  }

  /// The number that a test gives each of its requests.
  var marker: Int? { params["marker"] as? Int }

  /// The id that a cancel names.
  var cancelled: Int? {
    ["$/cancelRequest", "notifications/cancelled"].contains(method)
      ? (params["id"] ?? params["requestId"]) as? Int : nil
  }
}

extension [HeardMessage] {
  var cancels: [Int] { compactMap(\.cancelled) }

  func id(ofMarker marker: Int) -> Int? { first { $0.marker == marker }?.id }

  /// What was sent again, by markers and by ids.
  var repetitions: [Int] {
    [compactMap(\.marker), compactMap(\.id)].flatMap { numbers in
      Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }.map(\.key)
    }
  }
}

/// Waits until it is so.
func expectEventually(_ what: String, _ isTrue: () throws -> Bool) throws {
  _ = try eventually(what) { try isTrue() ? true : nil }
}

/// Whether there is such a process that has not ended.
func isRunning(_ process: Int32) -> Bool {
  guard
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
    // The program's name, in parentheses, may hold anything.
    let nameEnd = text.lastIndex(of: ")")
  else { return false }
  return text[nameEnd...].dropFirst(2).first != "Z"
}
