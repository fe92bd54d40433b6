import HotData
import Identity
import JSONRPC

/// The quotas of principals, over all their connections. Without authentication none of this is called.
extension GatewayCore {
  /// A connection is known from now on: what it asks counts for its principal, too.
  mutating func noteWho(_ client: Int) {
    let principal = edge.principal(of: client).number
    guard principal > 0 else { return }
    if !lanes.hasSeen(principal) {
      let account = lanes.openAccount()
      upstreams.open(account)
      lanes.open(principal, account: account)
    }
    lanes.keep(edge.quotas(of: principal), of: principal)
    lanes.assign(edge.account(of: client), to: principal)
  }

  /// A configuration has other quotas: what is there counts.
  mutating func keepQuotas() {
    for principal in lanes.seenPrincipals { lanes.keep(edge.quotas(of: principal), of: principal) }
  }

  // MARK: At the door

  /// One more request has come of a principal: why it is one too many, if it is.
  @inline(never)
  mutating func rateExceeded(by account: Int) -> Overload? {
    let wait = lanes.spendRequest(of: account)
    return wait > 0
      ? Overload(ofPrincipal: "too many requests a second of this principal", retryAfterMilliseconds: wait)
      : nil
  }

  /// A request has superseded callers since then: those that were refused, and those that follow it.
  @inline(never)
  mutating func countSuperseded(since before: UInt64, of account: Int) {
    let count = edge.counters.supersededCallers - before
    if count > 0 { lanes.spend(supersessions: Int(count), of: account) }
  }

  mutating func noteRefusal(_ overload: Overload, ofPrincipalOf client: Int) {
    lanes.noteRefusal(ofPrincipal: edge.principal(of: client).number)
    edge.note(.overQuota(reason: overload.error.message), of: client)
  }

  // MARK: Taking back

  /// Whether a client may take back one more; else it has been told that it may not.
  mutating func mayTakeBack(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) -> Bool {
    guard edge.asksWho(sender.client) else { return true }
    let wait = lanes.cancelWait(of: edge.account(of: sender.client))
    guard wait > 0 else { return true }
    let overload = Overload(
      ofPrincipal: "too many cancelled a second of this principal", retryAfterMilliseconds: wait)
    noteRefusal(overload, ofPrincipalOf: sender.client)
    edge.refuseMessage(overload, of: envelope, in: bytes, from: sender)
    return false
  }

  /// A client took back so many requests.
  mutating func countTakenBack(_ count: Int, by client: Int) {
    if edge.asksWho(client) { lanes.spend(cancels: count, of: edge.account(of: client)) }
  }
}
