import GatewayCore
import TaskStore

/// What the core measures, and what it tells watchers.
extension World {
  private static let turnsPerLook = 16
  private static let lanesInView = 3
  private static let tasksInView = 2

  mutating func readJournal() {
    let (counters, now) = (core.counters, UInt64(nowMilliseconds))
    guard var chronicle else {
      var isEmpty = false
      core.takeJournal { isEmpty = $0.events.isEmpty && $0.text.isEmpty && $0.leftOutCount == 0 }
      return oracle.expect(isEmpty, "the journal: something was noted for nobody")
    }
    self.chronicle = nil
    var coverage = Coverage()
    swap(&coverage, &oracle.coverage)
    core.takeJournal {
      chronicle.read($0, tasks: counters.admitted + counters.notifications, at: now, &coverage)
    }
    swap(&coverage, &oracle.coverage)
    chronicle.expectSums(counters, core.times)
    keep(chronicle)
  }

  private mutating func keep(_ chronicle: Chronicle) {
    if let complaint = chronicle.complaint { oracle.complain(complaint) }
    self.chronicle = chronicle
  }

  /// In the end.
  mutating func expectAllTold() {
    lookAtGauges()
    guard let chronicle else { return }
    chronicle.expectAllOver()
    chronicle.expectFinalSums(core.counters, core.times)
    keep(chronicle)
  }

  mutating func measure() {
    let (counters, times) = (core.counters, core.times)
    expect(counters.sentUpstream, times.queueing.count, "times until sent")
    expect(counters.droppedLate, times.staleness.count, "times of what was stale")
    expect(times.total.count, times.upstream.count, "times of upstream")
    expect(measures.bytesFromClients, counters.bytesFromClients, "bytes from clients")
    expect(network.bytesToClients, counters.bytesToClients, "bytes to clients")
    expect(measures.bytesFromUpstreams, counters.bytesFromUpstreams, "bytes from upstreams")
    expect(network.bytesToUpstreams, counters.bytesToUpstreams, "bytes to upstreams")
    lookAtPrincipals()
    if oracle.turn.isMultiple(of: Self.turnsPerLook) { lookAtGauges() }
  }

  private func lookAtPrincipals() {
    let misaccounted = core.misaccountedPrincipals
    oracle.expect(
      misaccounted == [],
      "principals \(misaccounted) have other tasks, callers or bytes than their connections")
    for client in clients.open {
      let asked = core.principalByteCount(of: clients.all[client].id)
      oracle.expect(
        asked <= oracle.bounds.principalPayloadBytes || asked == 0,
        "invariant 9: the principal of client \(client) asks \(asked) bytes")
    }
  }

  private func expect(_ there: UInt64, _ measured: UInt64, _ what: String) {
    oracle.expect(there == measured, "\(there) \(what), and \(measured) were measured")
  }

  // MARK: Gauges

  /// Looks at every task: not in every turn.
  private func lookAtGauges() {
    let (gauges, tasks) = (core.gauges, core.taskCount)
    oracle.expect(gauges.tasks.sum == tasks, "\(gauges.tasks) of \(tasks) tasks")
    oracle.expect(gauges.requests == core.liveRequestCount, "\(gauges.requests) requests are in the gauges")
    oracle.expect(
      gauges.connections == oracle.connectionCount(clients), "\(gauges.connections) clients are in the gauges"
    )
    let upstreams = core.upstreamGauges
    let sent = upstreams.reduce(0) { $0 + $1.inFlight + $1.waiting }
    let started = tasks - gauges.tasks.queued
    oracle.expect(sent <= started, "\(sent) tasks are at upstreams or wait for them, of \(started)")
    let connected = upstreams.reduce(0) { $0 + $1.connectedEndpoints }
    oracle.expect(connected <= openLinks.count, "\(connected) of \(openLinks.count) links can be used")
    let asked = core.accountedRequestBytes
    oracle.expect(
      asked == core.requestByteCount, "\(core.requestByteCount) bytes are asked, \(asked) are accounted for")
    let uncounted = core.uncountedBatchBytes
    oracle.expect(uncounted == 0, "\(uncounted) bytes of batches are not counted")
    let needless = core.needlessRequestBytes
    oracle.expect(needless == 0, "\(needless) bytes are kept of what nobody asks any more")
    oracle.expect(!core.leavesPartsUnchecked, "what came of a long message is not checked")
    lookAtLanes(gauges)
  }

  private func lookAtLanes(_ gauges: GatewayGauges) {
    let lanes = core.fullestLanes(limit: Self.lanesInView, taskLimit: Self.tasksInView)
    let isFull = lanes.count == min(gauges.lanes, Self.lanesInView)
    oracle.expect(isFull, "\(lanes.count) lanes are seen of \(gauges.lanes)")
    var most = gauges.tasks.sum
    for lane in lanes {
      let count = lane.counts.sum
      oracle.expect(count > 0 && count <= most, "a lane with \(count) tasks comes behind one with \(most)")
      most = count
      let generations = lane.tasks.map(\.generation)
      let isLong = generations.count == min(count, Self.tasksInView)
      oracle.expect(isLong, "\(generations.count) tasks are seen of \(count)")
      oracle.expect(generations == generations.sorted(by: >), "the newest tasks are \(generations)")
    }
  }
}
