import JSONRPC

/// The kinds of replies that the oracle tells apart.
package enum OracleReply: Hashable, Sendable {
  case result(ResultClaims)
  /// Another request superseded it.
  case superseded
  /// Cancelled by the client, or superseded, where the gateway uses the error codes of language servers.
  case cancelled
  /// It may never have been admitted, and then it superseded nothing.
  case refused
  /// It was admitted, and failed.
  case failed

  /// - Parameter code: the code of an error.
  package init(code: Int) {
    switch code {
    case RPCError.superseded.code: self = .superseded
    case RPCError.cancelled.code: self = .cancelled
    case RPCError.deadlineExceeded.code: self = .failed
    default: self = .refused
    }
  }
}
