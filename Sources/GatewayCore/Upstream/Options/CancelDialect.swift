/// How an upstream is told that nobody wants an answer any more.
package enum CancelDialect: String, Sendable, CaseIterable {
  /// `$/cancelRequest`; the cancelled request is still answered.
  case lsp
  /// `notifications/cancelled`; the cancelled request is never answered.
  case mcp
  /// A notification of the upstream's own.
  case notification
  /// Its exchange is aborted; over a connection that carries others, it is not told at all.
  case abort
  /// Not at all: the answer is awaited and dropped.
  case none
}

extension CancelDialect {
  /// Whether upstream answers no request that it was told to give up.
  /// - Parameter byNotification: whether that is so of its own notification.
  func isUnheard(byNotification: Bool) -> Bool {
    switch self {
    case .lsp, .none: false
    case .mcp, .abort: true
    case .notification: byNotification
    }
  }
}
