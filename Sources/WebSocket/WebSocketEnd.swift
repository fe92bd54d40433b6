/// One of the two ends of a connection; frames of the client are masked, those of the server are not.
package enum WebSocketEnd: Sendable {
  case server
  case client
}
