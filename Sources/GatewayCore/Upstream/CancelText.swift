import JSONRPC

/// The notification by which an upstream hears that a request is not wanted any more, without a frame.
struct CancelText {
  let id: UInt64
  let dialect: CancelDialect
  let notification: CancelNotification?

  func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    switch dialect {
    case .lsp: MessageWriter.openCancelRequest(into: &sink)
    case .mcp: MessageWriter.openCancelledNotification(into: &sink)
    case .notification: if let notification { sink.append(notification.beginning.span) }
    case .abort, .none: preconditionFailure("no message says so")
    }
    sink.append(decimal: id)
    sink.append("}}")
  }
}
