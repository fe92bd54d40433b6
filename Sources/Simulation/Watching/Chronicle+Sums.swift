import GatewayCore

/// The events that watchers heard add up to the counters.
extension Chronicle {
  /// At the end of a turn.
  func expectSums(_ counters: GatewayCounters, _ times: GatewayTimes) {
    let asked = counters.admitted + counters.notifications
    expectSum("admitted, joined or rejected", tally.admitted + tally.joined + tally.rejected, asked)
    expectSum("joined", tally.joined, counters.joined)
    expectSum("followed", tally.followed, counters.followed)
    expectSum("sent", tally.sent, counters.sentUpstream)
    expectSum("ms until sent", tally.queueingMilliseconds, times.queueing.sumMilliseconds)
    expectSum("cancelSent", tally.cancelSent, counters.cancelsSent)
    expectSum("superseded", tally.superseded, counters.superseded)
    expectSum("cancelled", tally.cancelled, counters.cancelled)
    expectSum("expired", tally.expired, counters.expired)
    expectSum("failed", tally.failed + (tally.isWhole ? tally.errors : 0), counters.failed)
    expectSum("abandoned", tally.abandoned, counters.abandoned)
    expect(!tally.isWhole || tally.rejected >= counters.rejected, "rejections were not told")
    let fewest = fewestEvents(counters, times)
    let all = tally.events + tally.leftOut
    expect(all >= fewest, "\(all) were told or left out, of at least \(fewest)")
  }

  private func expectSum(_ what: String, _ told: UInt64, _ counted: UInt64) {
    expect(tally.isWhole ? told == counted : told <= counted, "\(told) \(what), and \(counted) were")
  }

  /// Each counted step has one event; a failure has one only if it is no answer of upstream's.
  private func fewestEvents(_ counters: GatewayCounters, _ times: GatewayTimes) -> UInt64 {
    counters.admitted + counters.notifications + counters.followed + counters.sentUpstream
      + counters.cancelsSent + UInt64(times.firstPiece.count)
      + counters.superseded + counters.cancelled + counters.expired + counters.abandoned
  }

  /// When there is no task any more: all that was sent was answered, or has ended.
  func expectFinalSums(_ counters: GatewayCounters, _ times: GatewayTimes) {
    let all = tally.events + tally.leftOut
    let fewest = fewestEvents(counters, times) + counters.sentUpstream
    let most = fewest + counters.failed + counters.notifications
    expect((fewest...most).contains(all), "\(all) were told or left out, and not \(fewest) to \(most)")
    guard tally.isWhole else { return }
    let rejectedNotifications = tally.rejected - counters.rejected
    let unheard = rejectedNotifications + tally.unsentNotifications + tally.undelivered
    let handedOver = counters.notifications - unheard
    expectSum("callers with results", tally.results, counters.delivered + handedOver)
    expectSum("ends", tally.answered + tally.ended, counters.sentUpstream + tally.unsentNotifications)
    expectSum("answers", tally.answered, times.upstream.count + handedOver)
  }
}
