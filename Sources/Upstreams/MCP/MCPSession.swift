#if HTTPUpstreams
/// A session with a server of the Model Context Protocol: what its requests say of it, and where its stream for the
/// server's own messages stands.
final class MCPSession {
  /// The server's id for it; nil: it has given none.
  var id: String?
  /// The revision that both sides agreed on.
  var version: String?
  /// Whether the server has been told of its end, or has told it.
  var isOver = false
  /// The stream for messages of the server that belong to no request.
  var listening: HTTPTransfer?
  var listensAgainMilliseconds: UInt64?
  var listeningPauseMilliseconds = MCPTransport.usualRetryMilliseconds
  var lastListeningEventID: String?

  /// The header fields for the session and its revision.
  var fields: [String] {
    var fields: [String] = []
    if let id { fields.append("Mcp-Session-Id: \(id)") }
    if let version { fields.append("MCP-Protocol-Version: \(version)") }
    return fields
  }
}

@available(*, unavailable)
extension MCPSession: Sendable {}
#endif
