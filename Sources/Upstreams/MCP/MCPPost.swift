#if HTTPUpstreams
/// A POST to a server of the Model Context Protocol, until its response, or the rest of that, has ended.
final class MCPPost {
  let message: MCPMessage
  /// The session that it belongs to; of `initialize`, the one that it is to begin.
  let session: MCPSession
  /// Nil while it waits to resume an event stream that broke off.
  var transfer: HTTPTransfer?
  /// Whether no answer is expected any more: it was answered or cancelled, or has failed.
  var isOver = false
  /// The event behind which the stream can be resumed; nil: it cannot.
  var lastEventID: String?
  /// How often in a row the stream was resumed without a new message.
  var resumptions = 0
  /// When it is closed, or resumed.
  var dueMilliseconds: UInt64?

  init(_ message: MCPMessage, in session: MCPSession) {
    self.message = message
    self.session = session
  }

  /// Whether its session is over. A message with a revision of its own needs none.
  var hasLostSession: Bool { message.version == nil && session.isOver }
}

@available(*, unavailable)
extension MCPPost: Sendable {}
#endif
