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

/// What a result says of itself; nil where it says nothing.
package struct ResultClaims: Hashable, Sendable {
  /// The request that it is the result of.
  package var number: UInt64?
  /// The how-many-eth request of its key it was at upstream.
  package var arrival: UInt64?
  /// The newest arrival of policy `cancel` that upstream knew of when it answered; 0: none.
  package var newest: UInt64?

  package init(number: UInt64? = nil, arrival: UInt64? = nil, newest: UInt64? = nil) {
    self.number = number
    self.arrival = arrival
    self.newest = newest
  }
}
