/// Why a connection is closed, as a Close frame numbers it (RFC 6455 section 7.4).
package struct WebSocketCloseCode: Hashable, Sendable {
  package let number: UInt16

  /// Nil if no Close frame may have it: it is reserved, or nobody has said what it means.
  package init?(_ number: UInt16) {
    switch number {
    case 1000...1003, 1007...1014, 3000...4999: self.init(known: number)
    default: return nil
    }
  }

  private init(known number: UInt16) { self.number = number }

  /// What the connection was for is done.
  package static let normal = WebSocketCloseCode(known: 1000)
  /// The server stops, or somebody leaves the page.
  package static let goingAway = WebSocketCloseCode(known: 1001)
  package static let protocolError = WebSocketCloseCode(known: 1002)
  /// Binary messages, where only text is taken.
  package static let unsupportedData = WebSocketCloseCode(known: 1003)
  /// A text is no UTF-8.
  package static let invalidText = WebSocketCloseCode(known: 1007)
  package static let policyViolation = WebSocketCloseCode(known: 1008)
  package static let tooLarge = WebSocketCloseCode(known: 1009)
  package static let internalError = WebSocketCloseCode(known: 1011)
  /// The server has too much to do.
  package static let tryAgainLater = WebSocketCloseCode(known: 1013)
}
