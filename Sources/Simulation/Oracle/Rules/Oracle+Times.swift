import GatewayCore
import TaskStore

/// What a policy promises by a time has happened by then.
extension Oracle {
  /// All that was due has happened: whatever is still queued has something to wait for.
  mutating func judgeTimes(_ core: inout GatewayCore, _ clients: ClientTable) {
    for lane in lanes.indices where !lanes[lane].tasks.isEmpty {
      lanes[lane].tasks = lanes[lane].tasks.filter { !isOver($0) }
      noteWhoIsThere(in: lane, &core, clients)
      if !isShutDown && !isLate { expectNoneHeldBack(in: lane) }
    }
  }

  private mutating func noteWhoIsThere(
    in lane: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    var isEmpty = true
    for task in lanes[lane].tasks {
      tasks[task].state = open(task, &core, clients)?.state
      if tasks[task].state != nil {
        isEmpty = false
        tasks[task].seenOpenTurn = turn
      } else if !tasks[task].isNotification {
        tasks[task].leftByMilliseconds = min(tasks[task].leftByMilliseconds, nowMilliseconds)
        // Where the clock jumps over the end of its grace, that is when it becomes an orphan.
        let isOrphan = tasks[task].creator != 0 && nowMilliseconds >= graceEnd(of: task)
        if isOrphan {
          tasks[task].orphanByMilliseconds = min(tasks[task].orphanByMilliseconds, nowMilliseconds)
        }
      }
    }
    // A lane that holds no task any more is not stale.
    if isEmpty { lanes[lane].surelyStaleSinceMilliseconds = nil }
  }

  private func expectNoneHeldBack(in lane: Int) {
    let there = lanes[lane].tasks
    guard !lanes[lane].hadUnseen, there.contains(where: { tasks[$0].state == .queued }) else { return }
    // Of some nobody knows whether they are there, or for how long.
    guard there.allSatisfy({ tasks[$0].creator != 0 && !tasks[$0].isNotification }) else { return }
    guard there.allSatisfy({ tasks[$0].state != nil || !tasks[$0].isUndoable }) else { return }
    guard there.count(where: { mayBeUnsettled($0) }) < bounds.tightestOrphansPerLane else { return }
    for task in there where tasks[task].state == .queued {
      guard nowMilliseconds >= debounceEnd(of: task) else { continue }
      let holding = there.filter { mayHoldUp(task, $0) }
      guard holding.count < tasks[task].maxRunning, !holding.contains(where: { tasks[$0].state == .queued })
      else { continue }
      complain("request \(tasks[task].creator) is still queued, and there is nothing left to wait for")
    }
  }

  /// Whether it may still drain or be an orphan.
  private func mayBeUnsettled(_ task: Int) -> Bool {
    let view = tasks[task]
    guard view.state == nil else { return false }
    return nowMilliseconds < view.orphanByMilliseconds + max(1, bounds.longestOrphanMilliseconds)
  }

  /// By when a task that has left holds up nobody any more.
  private func graceEnd(of task: Int) -> Int {
    // A grace of nothing is over when the clock next moves.
    tasks[task].leftByMilliseconds + max(1, records[tasks[task].creator].terms.drainMilliseconds)
  }

  private func mayHoldUp(_ task: Int, _ earlier: Int) -> Bool {
    guard tasks[earlier].admitted < tasks[task].admitted else { return false }
    if tasks[earlier].state != nil { return tasks[task].waitsForEarlier || tasks[task].spared >= 0 }
    return tasks[task].waitsForEarlier && nowMilliseconds < graceEnd(of: earlier)
  }

  // MARK: Bursts

  /// By when a task's debounce is over at the latest.
  private func debounceEnd(of task: Int) -> Int {
    let creator = records[tasks[task].creator]
    let end = creator.handledMilliseconds + Int(creator.terms.debounceMilliseconds)
    guard let maxWait = creator.terms.maxWaitMilliseconds, maxWait > 0 else { return end }
    return min(end, tasks[task].burstMilliseconds + Int(maxWait))
  }

  /// When the burst began, at the latest, that a request goes on with which comes alone.
  mutating func burst(
    replacedBy request: Request, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int? {
    let record = records[request.number]
    let there = lanes[record.lane].tasks
    guard record.supersedesOlder || record.policy == .keepLatest, !lanes[record.lane].hadUnseen,
      there.allSatisfy({ tasks[$0].creator != 0 && !tasks[$0].isNotification })
    else { return nil }
    let older = there.sorted { tasks[$0].admitted > tasks[$1].admitted }
    for task in older where record.supersedesOlder || tasks[task].policy == .keepLatest {
      let isDebounced = records[tasks[task].creator].terms.debounceMilliseconds > 0
      guard isDebounced, open(task, &core, clients)?.state == .queued else { continue }
      return tasks[task].burstMilliseconds
    }
    return nil
  }

  // MARK: The starvation guard

  /// Somebody was told that a task of this lane was superseded in this turn.
  mutating func noteSurelyStale(_ number: Int) {
    let record = records[number]
    guard record.isClear, record.lane >= 0, record.task >= 0, !lanes[record.lane].hadUnseen else { return }
    let wasOpen = tasks[record.task].seenOpenTurn == turn - 1 && tasks[record.task].state != nil
    guard wasOpen, lanes[record.lane].disturbedTurn < turn else { return }
    // One that is still to be sent may empty the lane whenever that is.
    guard !lanes[record.lane].tasks.contains(where: { tasks[$0].isNotification && !isOver($0) }) else {
      return
    }
    if lanes[record.lane].surelyStaleSinceMilliseconds == nil {
      lanes[record.lane].surelyStaleSinceMilliseconds = nowMilliseconds
    }
  }

  /// A task may have been answered or may have ended. If somebody waited for it, its lane may be stale no longer.
  mutating func disturbLane(of task: Int) {
    let lane = tasks[task].lane
    guard lane >= 0, tasks[task].creator == 0 || tasks[task].leftByMilliseconds > nowMilliseconds else {
      return
    }
    disturb(lane: lane)
  }

  /// It may hold no task for a moment, or deliver an answer, and is then stale no longer.
  mutating func disturb(lane: Int) {
    lanes[lane].surelyStaleSinceMilliseconds = nil
    lanes[lane].disturbedTurn = turn
  }

  /// Time has passed: the last caller of a lane may have left before others come in the same turn.
  mutating func forgetStaleness(_ core: inout GatewayCore, _ clients: ClientTable) {
    for lane in lanes.indices where lanes[lane].surelyStaleSinceMilliseconds != nil {
      var isEmpty = true
      for task in lanes[lane].tasks where isEmpty { isEmpty = !isOpen(task, &core, clients) }
      if isEmpty { disturb(lane: lane) }
    }
  }

  /// The task that a request which comes alone has to spare; -1: none, as far as is known.
  mutating func mustSpare(
    _ request: Request, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let record = records[request.number]
    guard record.isClear, record.supersedesOlder, record.terms.join == .never, !lanes[record.lane].hadUnseen,
      let maxStale = record.terms.maxStaleMilliseconds, maxStale > 0,
      let since = lanes[record.lane].surelyStaleSinceMilliseconds, nowMilliseconds - since >= Int(maxStale)
    else { return -1 }
    var newest = -1
    for task in lanes[record.lane].tasks where open(task, &core, clients)?.state == .running {
      if newest < 0 || tasks[task].admitted > tasks[newest].admitted { newest = task }
    }
    return newest
  }

  /// What came alone was admitted.
  mutating func checkSparing(_ number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    guard shouldSpare >= 0, !records[number].request.isNotification,
      openRequest(number, &core, clients) != nil
    else { return }
    expect(
      isOpen(shouldSpare, &core, clients),
      "\(number) superseded \(tasks[shouldSpare].creator), though the lane has delivered nothing for so long")
  }
}
