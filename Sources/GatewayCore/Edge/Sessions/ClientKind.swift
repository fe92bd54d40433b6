/// What a client's transport hands over.
package enum ClientKind: Sendable {
  /// Bytes, in which messages are lines or framed by Content-Length, as the first of them say.
  case stream
  /// Messages that the transport has told apart, as those of a WebSocket: each comes and goes as one line.
  case messages
  /// The same for requests that end one by one, as those of a session over HTTP: if the client is ended from outside,
  /// each request hears what became of it. The shell checks their ids against the bounds, before it replaces them.
  case session
  /// One message or batch, and then the end: a POST. It gets its reply whatever its listener says of an end.
  case exchange
}
