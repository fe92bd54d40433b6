/// The core's id of a session's request: a text that no client's id matches by chance.
enum MCPRequestID {
  /// - Returns: JSON.
  static func text(_ number: UInt64) -> [UInt8] { Array("\"#\(number)\"".utf8) }

  /// It is no request's.
  static let none = Array("\"\"".utf8)

  /// How long it may be.
  static let mostBytes = 24

  /// - Parameter id: JSON.
  static func number(_ id: some BidirectionalCollection<UInt8>) -> UInt64? {
    guard id.count > 3, id.starts(with: "\"#".utf8), id.last == UInt8(ascii: "\"") else { return nil }
    return UInt64(String(decoding: id.dropFirst(2).dropLast(), as: UTF8.self))
  }
}
