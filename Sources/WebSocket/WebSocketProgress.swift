/// What reading a connection's bytes comes to next.
package enum WebSocketProgress: Equatable, Sendable {
  /// All bytes are read.
  case more
  /// A piece of a message was appended; where the message ends with it, it may have no bytes.
  case text(isEnd: Bool)
  /// A Ping, which is to be answered with a Pong of the same bytes, at most 125.
  case ping([UInt8])
  /// A Pong, and its bytes, at most 125.
  case pong([UInt8])
  /// A Close; nil: without a code. What follows it is not read.
  case close(WebSocketCloseCode?, reason: String)
  /// No message can come any more.
  case fault(WebSocketFault)
}
