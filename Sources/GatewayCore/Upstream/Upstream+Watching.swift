import HotData
import JSONRPC

/// The state of the upstreams, for watchers and for tests.
extension Upstream {
  var heldByteCount: Int { upstreamBlocks.bytesInUse &+ upstreamInputBytes }
  func unsentByteCount(ofSession slot: Int) -> Int { sessions[slot].output.byteCount }
  func heldByteCount(ofSession slot: Int) -> Int {
    sessions.contains(slot) ? sessions[slot].held?.unreadByteCount ?? 0 : 0
  }

  /// Whether so much has come of a message that it should have been checked meanwhile, and was not.
  func leavesUnchecked(_ most: Int) -> Bool {
    (0..<sessions.endSlot).contains {
      sessions.contains($0) && !sessions[$0].trustsAnswers && sessions[$0].framer.uncheckedByteCount > most
    }
  }

  func noteLeftovers(_ note: (String, Int) -> Void) {
    note("bytes of upstreams' input", sessions.count == 0 ? upstreamInputBytes : 0)
    note("blocks of output to upstreams", sessions.count == 0 ? upstreamBlocks.blocksInUse : 0)
    note("upstreams of whom something is held", holdsAnswers ? 1 : 0)
    note(
      "places that are not given back", (0..<allotments.accounts).count { allotments.inFlight(of: $0) != 0 })
    note("upstreams of clients' own", pools.count - configuration.upstreams.count)
    for slot in slots where isThere(slot) {
      note("bytes waiting for upstream", pools[slot].waitingBytes)
      note("calls waiting for upstream", pools[slot].waitingCount)
      note("calls kept for upstream", pools[slot].calls)
    }
    for slot in 0..<sessions.endSlot where sessions.contains(slot) {
      note("calls at upstream", sessions[slot].inFlight)
      note("unanswered questions of upstream", sessions[slot].asked.count)
    }
  }

  /// Gives back what tables grew to; there must be no call.
  mutating func giveBackTables() {
    calls = SlotArray(empty: Call())
    callLinks = SlotLinks()
    arrivalLinks = SlotLinks()
    waitingLines = WaitingLines()
  }

  func giveBackBlocks() { upstreamBlocks.giveBackMemory() }

  /// By an upstream's place in the configuration; those that clients have for themselves count for theirs.
  var gauges: [UpstreamGauges] {
    var gauges = configuration.upstreams.map { options in
      var gauges = UpstreamGauges()
      gauges.endpoints = options.isPerConnection ? 0 : options.endpoints
      return gauges
    }
    for slot in slots where isThere(slot) {
      let place = pools[slot].place
      gauges[place].waiting += pools[slot].waitingCount
      for session in pools[slot].sessions {
        gauges[place].inFlight += sessions[session].inFlight
        if sessions[session].isUsable(at: nowMilliseconds) { gauges[place].connectedEndpoints += 1 }
      }
    }
    return gauges
  }
}
