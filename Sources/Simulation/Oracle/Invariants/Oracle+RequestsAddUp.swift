import GatewayCore

/// Invariant 10: at every step the admitted requests (not tasks) are the sum of those delivered, failed, superseded,
/// cancelled, expired, rejected, abandoned and live.
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
