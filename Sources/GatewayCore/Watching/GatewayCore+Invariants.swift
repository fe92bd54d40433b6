import HotData
package import JSONRPC
package import TaskStore

/// An open request as a test sees it.
package struct OpenRequest: Hashable, Sendable {
  package let task: TaskID
  package let generation: UInt64
  package let state: TaskState
}

extension GatewayCore {
  /// What must hold whenever no event is being worked on, as far as it can be told at once; checked in releases too.
  func checkInvariants() {
    let answered =
      counters.delivered + counters.failed + counters.superseded + counters.cancelled + counters.expired
      + counters.rejected + counters.abandoned
    precondition(
      counters.admitted == answered + UInt64(store.waiterCount), "a request was lost, or answered twice")
    precondition(store.taskCount > 0 || isEmptyHanded, "something outlived the last task")
  }

  private var isEmptyHanded: Bool {
    keys.count == 0 && payloads.byteCount == 0 && traces.byteCount == 0 && store.isEmpty
      && callers.groupCount == 0
  }

  /// The tables that are not empty, by name: none when nothing is in flight and nobody is connected.
  package var leftovers: [String] {
    var names: [String] = []
    func note(_ name: String, _ count: Int) { if count > 0 { names.append("\(count) \(name)") } }
    note("tasks", store.taskCount)
    if store.taskCount == 0 && store.counts != TaskCounts() { names.append("tasks of some state") }
    note("waiters", store.waiterCount)
    note("timers", store.timerCount)
    note("keys", keys.count)
    note("bytes of payloads", payloads.byteCount)
    note("groups", callers.groupCount)
    note("patient tasks", calls.indices.count { calls[$0].isPatient })
    note("batches", batches.count)
    note("bytes of batches", batchBytes)
    note("bytes of input", clients.count == 0 ? inputBytes : 0)
    note("bytes of upstreams' input", sessions.count == 0 ? upstreamInputBytes : 0)
    note("blocks of output", clients.count == 0 ? blocks.blocksInUse : 0)
    note("blocks of output to upstreams", sessions.count == 0 ? upstreamBlocks.blocksInUse : 0)
    note("bytes of requests counted for the wrong one", abs(requestByteCount - accountedRequestBytes))
    note("clients of whom something is held", holdsInput ? 1 : 0)
    note("clients", clients.count)
    note("accounts of nobody", accounts.count - clients.count)
    note("places that are not given back", accounts.indices.count { allotments.inFlight(of: $0) != 0 })
    note("upstreams of clients' own", upstreams.count - configuration.upstreams.count)
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) {
      note("bytes waiting for upstream", upstreams[slot].waitingBytes)
      note("calls waiting for upstream", upstreams[slot].waitingCount)
      note("calls kept for upstream", upstreams[slot].calls)
    }
    for slot in 0..<sessions.endSlot where sessions.contains(slot) {
      note("calls at upstream", sessions[slot].inFlight)
      note("unanswered questions of upstream", sessions[slot].asked.count)
    }
    return names
  }

  /// Whether so much has come of a message that it should have been checked meanwhile, and was not.
  package var leavesPartsUnchecked: Bool {
    let most = max(configuration.checkedPartBytes, 4)
    for slot in 0..<clients.endSlot where clients.contains(slot) {
      if clients[slot].framer.uncheckedByteCount > most { return true }
    }
    for slot in 0..<sessions.endSlot where sessions.contains(slot) && !sessions[slot].trustsAnswers {
      if sessions[slot].framer.uncheckedByteCount > most { return true }
    }
    return false
  }

  /// The newest open request of a client with the id at `id`, a JSON value in `bytes`.
  package mutating func openRequest(
    _ id: ByteRange, in bytes: Span<UInt8>, of client: ClientID
  ) -> OpenRequest? {
    guard clients.contains(client.slot) else { return nil }
    guard
      let waiter = callers.newest(
        withID: id, in: bytes, of: client.slot, among: &clients[client.slot].openRequests)
    else { return nil }
    let task = store.task(of: waiter)
    return OpenRequest(task: task, generation: store.generation(of: task), state: store.state(of: task))
  }
}
