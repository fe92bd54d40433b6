#if HTTPUpstreams
/// A message that was posted to a server of the Model Context Protocol, until nothing more is to be heard of that.
final class MCPPost {
  let message: MCPMessage
  /// Nil while it waits to ask for the rest of an event stream that broke off.
  var transfer: HTTPTransfer?
  /// Nothing more is awaited of it: it was answered, taken back, or given up.
  var isOver = false
  /// Behind which event the stream is gone on with; nil: it cannot be.
  var lastEventID: String?
  /// How often in a row that was tried without anything new.
  var resumptions = 0
  /// When it is closed, or asks for the rest.
  var dueMilliseconds: UInt64?

  init(_ message: MCPMessage) { self.message = message }
}

@available(*, unavailable)
extension MCPPost: Sendable {}
#endif
