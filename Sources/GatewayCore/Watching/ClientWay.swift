/// How a client reaches the gateway, as the admin pages tell it.
package struct ClientWay: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A socket over which messages come as lines, or with `Content-Length`.
    case stream
    case webSocket
    /// POSTs of HTTP/1.1, answered with JSON.
    case http
    /// The same, answered with a stream of events.
    case events
    /// A session of the Model Context Protocol, of many requests of HTTP.
    case mcp
    /// The program's own standard input and output.
    case stdio
  }

  package var kind: Kind
  /// Nobody but the two ends can read what is said.
  package var isSecure: Bool

  package init(_ kind: Kind, isSecure: Bool = false) {
    self.kind = kind
    self.isSecure = isSecure
  }

  /// As `websocket+tls`.
  /// - Parameter hasHeads: each message of the stream follows a head with `Content-Length`.
  package func name(hasHeads: Bool) -> String {
    let name =
      switch kind {
      case .stream: hasHeads ? "content-length" : "lines"
      case .webSocket: "websocket"
      case .http: "http"
      case .events: "sse"
      case .mcp: "mcp"
      case .stdio: "stdio"
      }
    return isSecure ? name + "+tls" : name
  }
}
