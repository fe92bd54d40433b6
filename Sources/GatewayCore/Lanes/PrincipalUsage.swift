import Identity

/// The current use of a principal, of all its connections, including those that are gone.
struct PrincipalUsage {
  /// The account for all its connections together, by which upstreams count it; -1: no connection has come yet.
  @Compact var account = -1
  @Compact var tasks = 0
  var requestBytes = 0
  private(set) var quotas = Quotas()
  var requestTokens = TokenBucket()
  var supersessionTokens = TokenBucket()
  var cancelTokens = TokenBucket()
  var tally = PrincipalTally()

  /// From now on; what was taken stays taken, as far as that could have been taken.
  mutating func keep(_ quotas: Quotas) {
    self.quotas = quotas
    requestTokens.rate = quotas.requestsPerSecond
    supersessionTokens.rate = quotas.supersessionsPerSecond
    cancelTokens.rate = quotas.cancelsPerSecond
  }
}

/// What a principal has done since the start.
package struct PrincipalTally: Hashable, Sendable {
  /// Requests and notifications for upstreams, those that were refused included.
  package var requests: UInt64 = 0
  /// Callers that its requests superseded when they came, and what it cancelled.
  package var superseded: UInt64 = 0
  package var cancelled: UInt64 = 0
  /// Requests, notifications and cancels that were beyond one of its quotas.
  package var refused: UInt64 = 0

  package init() {}
}
