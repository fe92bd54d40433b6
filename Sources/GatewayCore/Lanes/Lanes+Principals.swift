import HotData
import Identity
import TaskStore

/// The use of all connections of a principal together. Anonymous clients have the number 0, for which nothing is
/// counted.
extension Lanes {
  /// Whether any of its connections has ever come.
  func hasSeen(_ principal: Int) -> Bool {
    principals.indices.contains(principal) && principals[principal].account >= 0
  }

  /// The first of a principal's connections has come.
  /// - Parameter account: what upstreams know it by.
  mutating func open(_ principal: Int, account: Int) {
    principals.reach(principal)
    principals[principal].account = account
    principalCount += 1
  }

  /// The principals with tasks that have not ended, be their connections there or gone.
  var busyPrincipals: Set<Int> { Set(principals.indices.filter { principals[$0].tasks > 0 }) }

  /// Another principal will get its number, with the same account, in which nothing counts.
  mutating func forget(principal: Int) {
    guard principals.indices.contains(principal) else { return }
    var usage = PrincipalUsage()
    usage.account = principals[principal].account
    forgottenTally = forgottenTally + principals[principal].tally
    principals[principal] = usage
    orders.forget(principal: principal)
  }

  /// What a connection asks from now on counts for a principal, too.
  mutating func assign(_ account: Int, to principal: Int) { accounts[account].principal = principal }

  mutating func keep(_ quotas: Quotas, of principal: Int) {
    var quotas = quotas
    if quotas.callers == 0 { quotas.callers = max(1, configuration.store.waiters / Self.callerParts) }
    principals[principal].keep(quotas)
  }

  /// Of all that may wait for an answer one principal has one of so many parts, if nothing is said.
  private static let callerParts = 4

  /// So many requests of a principal may wait for an answer.
  @inline(__always)
  func mostCallers(of principal: Int) -> Int { principals[principal].quotas.callers }

  /// The principals of whom any connection has come.
  var seenPrincipals: [Int] { principals.indices.filter { principals[$0].account >= 0 } }

  /// What all of them have done since the start, those included that are not there any more: it never falls.
  var principalTally: PrincipalTally {
    var sum = forgottenTally
    for principal in seenPrincipals { sum = sum + principals[principal].tally }
    return sum
  }

  /// What an account is part of at upstreams: its principal's, or else it is by itself.
  func party(of account: Int) -> Int {
    let principal = accounts[account].principal
    return principal > 0 ? principals[principal].account : account
  }

  func principal(ofAccount account: Int) -> Int { accounts[account].principal }
  func usage(of principal: Int) -> PrincipalUsage { principals[principal] }
  func usage(ofAccount account: Int) -> PrincipalUsage {
    let principal = accounts[account].principal
    return principal > 0 ? principals[principal] : PrincipalUsage()
  }

  /// Principals that count for more, or less, than their connections.
  var misaccountedPrincipals: [Int] {
    seenPrincipals.filter { principal in
      let own = accounts.indices.filter { accounts[$0].principal == principal }
      return principals[principal].tasks != own.reduce(0) { $0 + accounts[$1].tasks }
        || principals[principal].requestBytes != own.reduce(0) { $0 + accounts[$1].requestBytes }
    }
  }

  // MARK: What counts

  @inline(never)
  mutating func count(tasks: Int, requestBytes: Int, ofPrincipal principal: Int) {
    principals[principal].tasks += tasks
    principals[principal].requestBytes += requestBytes
  }

  /// Whether one more request may be more than the principal has room for: then it is looked at what it supersedes.
  @inline(never)
  mutating func isAtAQuota(asking askedBytes: Int, of account: Int) -> Bool {
    let principal = accounts[account].principal
    let quotas = principals[principal].quotas
    return principals[principal].tasks >= quotas.tasks
      || principals[principal].requestBytes + askedBytes > quotas.payloadBytes
      || supersessionWait(of: account) > 0
  }

  // MARK: Rates

  /// One more request has come of a principal; returns how long it should have waited, in milliseconds.
  mutating func spendRequest(of account: Int) -> Int {
    let principal = accounts[account].principal
    principals[principal].tally.requests += 1
    let wait = principals[principal].requestTokens.wait(at: nowMilliseconds)
    if wait == 0 { principals[principal].requestTokens.take(1, at: nowMilliseconds) }
    return wait
  }

  /// How long a principal's next request that supersedes anything has to wait, in milliseconds.
  mutating func supersessionWait(of account: Int) -> Int {
    principals[accounts[account].principal].supersessionTokens.wait(at: nowMilliseconds)
  }

  mutating func spend(supersessions count: Int, of account: Int) {
    let principal = accounts[account].principal
    principals[principal].tally.superseded += UInt64(count)
    principals[principal].supersessionTokens.take(count, at: nowMilliseconds)
  }

  /// The same of what it cancels.
  mutating func cancelWait(of account: Int) -> Int {
    principals[accounts[account].principal].cancelTokens.wait(at: nowMilliseconds)
  }

  /// A message that cancels nothing costs one, too.
  mutating func spend(cancels count: Int, of account: Int) {
    let principal = accounts[account].principal
    principals[principal].tally.cancelled += UInt64(count)
    principals[principal].cancelTokens.take(max(1, count), at: nowMilliseconds)
  }

  mutating func noteRefusal(ofPrincipal principal: Int) { principals[principal].tally.refused += 1 }
}
