import GatewayCore
import JSONRPC
import TaskStore

/// What upstream is sent.
extension Oracle {
  /// Upstream sees a call; returns the oracle's number for its task.
  mutating func sawCall(
    _ id: UInt32, ask: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let task = task(withID: id) ?? addUnknownTask(id, ask: ask)
    expect(tasks[task].sighted == 0, "a task was sent twice: call \(id)")
    tasks[task].sighted = event
    tasks[task].connection = connection
    let creator = tasks[task].creator
    if creator != 0 {
      expect(
        records[creator].request.ask == ask, "invariant 7: call \(id) asks \(ask), not what \(creator) asked")
      checkDebounce(creator)
      if records[creator].saidCancelSent { owesCancel(task) }
    }
    checkNotSent(task)
    if tasks[task].lane >= 0, creator != 0 { checkTurn(of: task, &core, clients) }
    return task
  }

  mutating func sawNotification(ask: Int) {
    guard ask < asks.count, asks[ask].requestCount == 1 else { return }
    let number = asks[ask].request
    expect(records[number].handled > 0, "notification \(number) was sent before it came")
    expect(asks[ask].occurrences == 1, "notification \(number) was sent twice")
    guard records[number].task >= 0 else { return }
    tasks[records[number].task].sighted = event
  }

  /// One that came and was superseded in one breath: by what it asks, if only one asks that.
  private mutating func addUnknownTask(_ id: UInt32, ask: Int) -> Int {
    var task = TaskView(id: id)
    if ask < asks.count, asks[ask].requestCount == 1, records[asks[ask].request].task < 0,
      records[asks[ask].request].isClear
    {
      let number = asks[ask].request
      let record = records[number]
      expect(record.handled > 0, "call \(id) was sent before its request \(number) came")
      task.creator = number
      task.lane = record.lane
      task.admitted = record.handled
      task.policy = record.request.effectivePolicy
      task.drainMilliseconds = drainMilliseconds(of: record.request)
      task.leftMilliseconds = record.handledMilliseconds
      task.firstCaller = number
      task.callerCount = 1
      records[number].task = tasks.count
    }
    return add(task)
  }

  private mutating func checkDebounce(_ creator: Int) {
    let request = records[creator].request
    guard let debounce = request.debounceMilliseconds, request.maxWaitMilliseconds == nil else { return }
    let due = records[creator].handledMilliseconds + Int(debounce)
    expect(nowMilliseconds >= due, "request \(creator) was sent before its debounce was over")
  }

  /// Invariant 4: callers that heard "not sent" were right.
  mutating func checkNotSent(_ task: Int) {
    let view = tasks[task]
    let isWrong = view.sighted > 0 && view.callerCount > 0 && view.notSentReplies == view.callerCount
    expect(!isWrong, "invariant 4: call \(view.id) was sent though its callers heard that it was not")
  }

  // MARK: Invariants 3 and 9

  private mutating func checkTurn(of task: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let lane = tasks[task].lane
    forgetEnded(in: lane)
    let admitted = tasks[task].admitted
    let waits = records[tasks[task].creator].request.waitsForEarlier
    var unsettled = 0
    for earlier in lanes[lane].tasks where earlier != task {
      if isSurelyUnsettled(earlier) { unsettled += 1 }
      guard waits, tasks[earlier].admitted < admitted, tasks[earlier].creator != 0 else { continue }
      guard !mayHaveEnded(earlier, &core, clients) else { continue }
      complain("invariant 3: \(tasks[task].creator) was sent before \(tasks[earlier].creator) ended")
    }
    // One that waited for room had its turn before it was sent.
    guard !isBacklogged, configuration.upstreamOutputSoftBytes >= World.tightBytes else { return }
    expect(
      unsettled < configuration.store.orphansPerLane,
      "invariant 9: \(tasks[task].creator) was sent beside \(unsettled) that drain")
  }

  private mutating func forgetEnded(in lane: Int) {
    lanes[lane].tasks.removeAll { index in
      let task = tasks[index]
      return task.answered > 0 || task.isLost || task.isNotification && task.sighted > 0
    }
  }

  /// Upstream heard the cancel and has not answered, and the gateway cannot have forgotten it.
  private func isSurelyUnsettled(_ index: Int) -> Bool {
    let task = tasks[index]
    guard task.isCancelSeen, task.isAtUpstream, configuration.upstreams[0].cancel != .mcp else {
      return false
    }
    return nowMilliseconds < earliestLeave(of: task) + task.drainMilliseconds
      + Int(configuration.store.orphanMilliseconds)
  }

  /// Whether a task may have ended, or holds up nobody any more.
  private mutating func mayHaveEnded(
    _ index: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Bool {
    let task = tasks[index]
    if task.answered > 0 || task.isLost { return true }
    if task.isNotification {
      let mayBeDropped = lastDown >= task.admitted || isDown || isBacklogged || isShutDown
      return task.sighted > 0 || task.leftMilliseconds != .max || mayBeDropped
    }
    if isOpen(index, &core, clients) { return false }
    if task.sighted == 0 || configuration.upstreams[0].cancel == .mcp { return true }
    return nowMilliseconds >= earliestLeave(of: task) + task.drainMilliseconds
  }

  /// The earliest time at which the last caller can have left.
  private func earliestLeave(of task: TaskView) -> Int {
    var earliest = task.leftMilliseconds
    var number = task.firstCaller
    while number != 0 {
      let record = records[number]
      earliest = min(earliest, record.handledMilliseconds + timeoutMilliseconds(of: record.request))
      number = record.nextOfTask
    }
    return earliest
  }

  func timeoutMilliseconds(of request: Request) -> Int {
    Int(request.timeoutMilliseconds ?? configuration.timeoutMilliseconds)
  }

  // MARK: Invariant 5

  mutating func sawCancel(_ id: UInt32, _ core: inout GatewayCore, _ clients: ClientTable) -> Int? {
    guard let task = task(withID: id), tasks[task].sighted > 0 else {
      complain("invariant 5: upstream was told to cancel call \(id), which it has not seen")
      return nil
    }
    let view = tasks[task]
    expect(!view.isCancelSeen, "invariant 5: upstream was told twice to cancel call \(id)")
    expect(!view.isLost, "invariant 5: upstream was told to cancel call \(id) of an earlier connection")
    let hadEnded = view.answered > 0 && view.answered <= lastClean
    expect(!hadEnded, "invariant 5: upstream was told to cancel call \(id) after its answer")
    let isOpen = isOpen(task, &core, clients)
    expect(!isOpen, "call \(id) was cancelled though somebody waits for it")
    tasks[task].isCancelSeen = true
    return task
  }

  /// A caller was told that upstream hears of it: if upstream has seen the call, it must also see the cancel.
  mutating func owesCancel(_ task: Int) {
    if !isDown && tasks[task].sighted > 0 && tasks[task].connection == connection { owedCancels.append(task) }
  }

  /// Callers that heard of a cancel were told the truth.
  func expectCancelsSeen() {
    for task in owedCancels where !tasks[task].isCancelSeen {
      complain("call \(tasks[task].id) was never cancelled, though a caller heard that it was")
    }
  }
}
