import TestSupport
import Testing

/// What carries a client's messages.
enum Transport: String, CaseIterable, CustomTestStringConvertible {
  /// A line each.
  case lines
  /// A text message each.
  case webSocket
  /// A POST each, all of one session.
  case post

  static let all = allCases

  /// Those over which a row holds; `Tests/Pages/transports.py` makes a table of it.
  static func all(but reasons: [Transport: Reason]) -> [Transport] { all.filter { reasons[$0] == nil } }

  var testDescription: String { rawValue }

  /// Whether replies come in the order in which they were given.
  var keepsOrder: Bool { self != .post }

  func caller(to address: String) throws -> any Caller {
    switch self {
    case .lines: try LineSocket(address)
    case .webSocket: try WebSocketPeer(LineSocket(address))
    case .post: try PostCaller(to: address)
    }
  }
}
