import GatewayCore

/// Invariant 10: of requests, not tasks, those that were admitted are those delivered, failed, superseded, cancelled,
/// expired, rejected, abandoned and live, at every step.
extension Oracle {
  func expectSum(_ counters: GatewayCounters, live: Int) {
    let ended = counters.delivered + counters.failed + counters.superseded + counters.cancelled
    let refused = counters.expired + counters.rejected + counters.abandoned
    expect(counters.admitted == ended + refused + UInt64(live), "invariant 10: requests do not add up")
    expect(
      counters.admitted == UInt64(validRequests),
      "\(validRequests) requests came, \(counters.admitted) were counted")
  }
}
