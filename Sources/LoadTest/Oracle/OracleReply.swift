import JSONRPC

/// A reply as far as it matters to whether it can be right.
package enum OracleReply: Hashable, Sendable {
  case result(ResultClaims)
  /// Another request took its place.
  case superseded
  /// As whoever asked wished, or, in the language servers' terms, as superseded.
  case cancelled
  /// It may never have been admitted, and then it superseded nothing.
  case refused
  /// It was admitted, and failed.
  case failed

  /// - Parameter code: of an error.
  package init(code: Int) {
    switch code {
    case RPCError.superseded.code: self = .superseded
    case RPCError.cancelled.code: self = .cancelled
    case RPCError.deadlineExceeded.code: self = .failed
    default: self = .refused
    }
  }
}
