/// What a client's transport hands over.
package enum ClientKind: Sendable {
  /// Bytes, in which messages are lines or framed by Content-Length, as the first of them say.
  case stream
  /// Messages that the transport has told apart, as those of a WebSocket: each comes and goes as one line.
  case messages
  /// One message or batch, and then the end: a POST. It gets its reply whatever its listener says of an end.
  case exchange
}
