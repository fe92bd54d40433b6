import GatewayCore
import TaskStore

/// Which tasks wait for an upstream, in which order they go, and over which connection.
extension Oracle {
  /// A task that may have to wait for its upstream, now or once it starts.
  mutating func mayWait(_ task: Int) {
    guard tasks[task].sighted == 0 else { return }
    upstreams[tasks[task].upstream].unsent.append(task)
  }

  /// Whatever upstreams heard in this turn is known.
  mutating func judgeWaiting(_ core: inout GatewayCore, _ clients: ClientTable) {
    for upstream in active {
      if !(upstreams[upstream].unsent.isEmpty && upstreams[upstream].seen.isEmpty) {
        checkShares(upstream, &core, clients)
        judgeWaiting(for: upstream, &core, clients)
      }
      upstreams[upstream].turnEnds()
      noteOwners(upstream)
      for link in upstreams[upstream].links { links[link].callsBefore = links[link].calls.count }
    }
  }

  private mutating func judgeWaiting(
    for upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let before = upstreams[upstream].waiting
    let waiting = lookAtUnsent(upstream, &core, clients)
    // What a connection has not taken may be anywhere.
    let isKnown = !upstreams[upstream].isBacklogged
    upstreams[upstream].waiting = isKnown ? waiting : []
    if isKnown {
      checkOrder(upstream, before: before, now: waiting)
      if !waiting.isEmpty { checkRoom(upstream, waiting, &core, clients) }
    }
    // Tasks sent over a connection that was lost in this turn were not seen either.
    let wasKnown = upstreams[upstream].links.allSatisfy {
      !links[$0].wasBacklogged && links[$0].lastDownTurn < turn
    }
    checkTurns(upstream, before: isKnown && wasKnown ? before : [], now: waiting)
    checkChoice(upstream, isKnown && wasKnown, &core, clients)
  }

  /// Forgets what was sent or has ended, and returns what has started and was not seen.
  private mutating func lookAtUnsent(
    _ upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Int] {
    var waiting: [Int] = []
    var unsent: [Int] = []
    for task in upstreams[upstream].unsent where tasks[task].sighted == 0 {
      guard let open = open(task, &core, clients) else {
        if !isClear(task) { noteMayHaveLeft(task) }
        continue
      }
      unsent.append(task)
      guard open.state == .running else { continue }
      tasks[task].hasWaited = true
      waiting.append(task)
    }
    upstreams[upstream].unsent = unsent
    return waiting
  }

  // MARK: The order

  /// Nothing goes while what is before it waits.
  private func checkOrder(_ upstream: Int, before: [Int], now: [Int]) {
    guard !before.isEmpty else { return }
    let seen = upstreams[upstream].seen
    for (place, (link, task)) in seen.enumerated() where task >= 0 && tasks[task].generation > 0 {
      for other in before where other != task {
        let hasSameAccount = party(of: other) >= 0 && party(of: other) == party(of: task)
        guard tasks[other].goesBefore(tasks[task], hasSameAccount: hasSameAccount) else { continue }
        let isLaterHere = seen[place...].contains { $0.link == link && $0.task == other }
        guard isLaterHere || now.contains(other), !mayHaveLackedShare(party(of: other), at: upstream)
        else { continue }
        complain("\(tasks[task].creator) was sent before \(tasks[other].creator), which waited")
      }
    }
  }

  // MARK: Turns

  /// While something of a client waits, every other client has one turn at most at its level, then it is this one's.
  private mutating func checkTurns(_ upstream: Int, before: [Int], now: [Int]) {
    let served = upstreams[upstream].seen.map { pass(of: $0.task) }
    // If the client of a served task is unknown, it may have been any client's turn.
    guard !served.contains(where: { $0.client < 0 }) else { return upstreams[upstream].passes = [:] }
    var passes: [UpstreamView.Pass: [Int: Int]] = [:]
    for task in before where now.contains(task) {
      let waiting = pass(of: task)
      guard waiting.client >= 0, passes[waiting] == nil, !mayHaveLackedShare(waiting.client, at: upstream)
      else { continue }
      passes[waiting] = [:]
      if served.contains(waiting) { continue }
      var before = upstreams[upstream].passes[waiting] ?? [:]
      for other in served where other.priority == waiting.priority {
        before[other.client, default: 0] += 1
        coverage.count(.tookTurns)
        let isFair = before[other.client] == 1
        expect(isFair, "client \(other.client) was served twice while \(tasks[task].creator) waited")
      }
      passes[waiting] = before
    }
    upstreams[upstream].passes = passes
  }

  private func pass(of task: Int) -> UpstreamView.Pass {
    guard task >= 0 else { return UpstreamView.Pass(client: -1, priority: 0) }
    return UpstreamView.Pass(client: party(of: task), priority: tasks[task].priority)
  }

  // MARK: Room

  /// A task must not wait while a connection has room and its client's share has room.
  private mutating func checkRoom(
    _ upstream: Int, _ waiting: [Int], _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    coverage.count(upstreams[upstream].isDown ? .waitsForConnection : .waitsForRoom)
    for link in upstreams[upstream].links where links[link].isUp {
      let health = links[link].health
      guard !health.isMaybeOpen(at: nowMilliseconds) else { continue }
      let limit = health.isMaybeTripped ? 1 : upstreams[upstream].inFlightLimit
      guard inFlightAtMost(link) < limit else { continue }
      guard let task = waiting.first(where: { surelyHasShare(party(of: $0), at: upstream) }) else {
        coverage.count(.waitsForShare)
        continue
      }
      complain("request \(tasks[task].creator) waits though link \(link) has room")
    }
  }

  /// Calls that upstream works on, as far as the gateway can know.
  func inFlightAtMost(_ link: Int) -> Int { links[link].calls.count }

  /// How many calls of a connection the gateway cannot have forgotten.
  mutating func inFlightAtLeast(
    _ link: Int, beside task: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    var count = 0
    for call in links[link].calls where call != task {
      if isSurelyKnown(call) || isOpen(call, &core, clients) { count += 1 }
    }
    return count
  }

  // MARK: The choice

  /// A task goes to a connection with the least in flight; among equals, not to the one that was asked last.
  private mutating func checkChoice(
    _ upstream: Int, _ isKnown: Bool, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let seen = upstreams[upstream].seen
    guard let (link, task) = seen.last, upstreams[upstream].links.count > 1 else { return }
    let last = upstreams[upstream].lastUsed
    upstreams[upstream].lastUsed = isKnown && seen.allSatisfy { $0.link == link } ? link : -1
    guard isKnown, seen.count == 1 else { return }
    let own = inFlightAtLeast(link, beside: task, &core, clients)
    for other in upstreams[upstream].links where other != link && mayBeAsked(other, of: upstream) {
      let others = links[other].callsBefore
      let isWrong = own > others || own == others && last == link
      expect(!isWrong, "a call went to link \(link) beside \(own), not to link \(other) beside \(others)")
    }
  }

  /// Whether a connection could have been given work at any time of this turn.
  private func mayBeAsked(_ link: Int, of upstream: Int) -> Bool {
    let view = links[link]
    let isWell =
      !view.health.isMaybeTripped && !view.health.isMaybeOpen(at: nowMilliseconds) && view.health.turn < turn
    let limit = upstreams[upstream].inFlightLimit
    // Where little is taken at once a connection may be full for a moment.
    let hasRoom = !view.wasBacklogged && upstreams[upstream].outputSoftBytes >= World.tightBytes
    return isWell && view.isUp && view.lastDownTurn < turn && hasRoom
      && view.callsBefore < limit && limit == upstreams[upstream].looseInFlightLimit
  }
}
