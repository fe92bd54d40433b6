/// What a client's transport hands over.
package enum ClientKind: Sendable {
  /// Bytes, in which messages are lines or framed by Content-Length, as the first of them say.
  case stream
  /// Messages that the transport has told apart, as those of a WebSocket: each comes and goes as one line.
  case messages
  /// The same of requests each of which has an end of its own, as those of a session over HTTP: whoever ends it from
  /// outside, each hears what became of it. The shell holds what comes against the bounds, before it calls the requests
  /// otherwise.
  case session
  /// One message or batch, and then the end: a POST. It gets its reply whatever its listener says of an end.
  case exchange
}
