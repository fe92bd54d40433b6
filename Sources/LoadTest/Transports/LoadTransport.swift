/// The transport of a client's messages to the gateway.
package enum LoadTransport: String, CaseIterable, Sendable {
  /// A message in each line.
  case lines
  /// A message in each text of a WebSocket (RFC 6455).
  case ws
  /// A message in each POST, over several connections that are kept (RFC 9112).
  case http
  /// The same, each reply as an event of a stream (HTML, section 9.2).
  case sse

  /// Whether each request is a POST.
  package var posts: Bool { self == .http || self == .sse }
  /// Whether the gateway reads a client's requests in the order in which they were sent.
  package var keepsOrder: Bool { !posts }
}
