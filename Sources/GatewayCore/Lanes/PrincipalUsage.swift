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
