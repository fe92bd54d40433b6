import GatewayCore

/// How the gateway tells a server that the answer to a forwarded request is not wanted any more.
public enum CancelNotice: Sendable, CaseIterable {
  /// By the notification `$/cancelRequest`, as in the Language Server Protocol. The server still answers the cancelled
  /// request; a server that does not know this notification ignores it.
  case lsp

  /// By the notification `notifications/cancelled`, as in the Model Context Protocol. The server does not answer the
  /// cancelled request.
  case mcp

  /// Not at all: the gateway waits for the answer and drops it.
  case none

  var dialect: CancelDialect {
    switch self {
    case .lsp: .lsp
    case .mcp: .mcp
    case .none: .none
    }
  }
}
