import GatewayCore

/// How a server that requests are forwarded to is told that an answer is not wanted any more.
public enum CancelNotice: Sendable, CaseIterable {
  /// By `$/cancelRequest`; it still answers the cancelled request. Servers that do not know this ignore it.
  case lsp

  /// By `notifications/cancelled`, as in the Model Context Protocol; it does not answer the cancelled request.
  case mcp

  /// Not at all: the answer is awaited and dropped.
  case none

  var dialect: CancelDialect {
    switch self {
    case .lsp: .lsp
    case .mcp: .mcp
    case .none: .none
    }
  }
}
