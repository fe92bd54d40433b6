import GatewayCore
import JSONRPC
import TaskStore

/// What upstream is sent.
extension Oracle {
  /// Upstream sees a call; returns the oracle's number for its task.
  mutating func sawCall(
    _ id: UInt32, ask: Int, at upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let task = task(withID: id) ?? addUnknownTask(id, ask: ask)
    expect(tasks[task].sighted == 0, "a task was sent twice: call \(id)")
    expect(!tasks[task].isUndoing, "call \(id) has the id of one that undoes another")
    tasks[task].sighted = event
    tasks[task].connection = upstreams[upstream].connection
    let creator = tasks[task].creator
    let isRight = creator == 0 || tasks[task].upstream == upstream
    expect(isRight, "call \(id) went to upstream \(upstream), not to \(tasks[task].upstream)")
    tasks[task].upstream = upstream
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

  mutating func sawNotification(ask: Int, at upstream: Int) {
    guard asks[ask].requestCount == 1 else { return }
    let number = asks[ask].request
    expect(records[number].handled > 0, "notification \(number) was sent before it came")
    expect(asks[ask].occurrences == 1, "notification \(number) was sent twice")
    let terms = records[number].terms
    expect(terms.refusal == nil, "notification \(number) was sent, though it makes no sense")
    expect(terms.upstream == upstream, "notification \(number) went to upstream \(upstream)")
    guard records[number].task >= 0 else { return }
    tasks[records[number].task].sighted = event
  }

  /// One that came and was superseded in one breath: by what it asks, if only one asks that.
  private mutating func addUnknownTask(_ id: UInt32, ask: Int) -> Int {
    let number = asks[ask].request
    guard asks[ask].requestCount == 1, records[number].task < 0, records[number].isClear else {
      return add(TaskView(id: id))
    }
    expect(records[number].handled > 0, "call \(id) was sent before its request \(number) came")
    expect(!records[number].isSurelyRejected, "call \(id) was sent though its request \(number) was refused")
    var task = newTask(id, for: number)
    task.leftMilliseconds = records[number].handledMilliseconds
    task.firstCaller = number
    task.callerCount = 1
    records[number].task = tasks.count
    return add(task)
  }

  private func checkDebounce(_ creator: Int) {
    let terms = records[creator].terms
    guard terms.maxWaitMilliseconds == nil else { return }
    let due = records[creator].handledMilliseconds + Int(terms.debounceMilliseconds)
    expect(nowMilliseconds >= due, "request \(creator) was sent before its debounce was over")
  }

  /// Invariant 4: callers that heard "not sent" were right.
  func checkNotSent(_ task: Int) {
    let view = tasks[task]
    let isWrong = view.sighted > 0 && view.callerCount > 0 && view.notSentReplies == view.callerCount
    expect(!isWrong, "invariant 4: call \(view.id) was sent though its callers heard that it was not")
  }

  // MARK: Invariants 3 and 9

  private mutating func checkTurn(of task: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let lane = tasks[task].lane
    lanes[lane].tasks = lanes[lane].tasks.filter { !isOver($0) }
    let view = tasks[task]
    var unsettled = 0
    for earlier in lanes[lane].tasks where earlier != task {
      if isSurelyUnsettled(earlier, beside: task) { unsettled += 1 }
      let isAhead = tasks[earlier].admitted < view.admitted && tasks[earlier].creator != 0
      guard view.waitsForEarlier && isAhead || earlier == view.spared else { continue }
      let isOnlyAwaitedLive = !view.waitsForEarlier
      // One upstream may have been handed a notification just before the other was handed this.
      if tasks[earlier].isNotification, tasks[earlier].upstream != view.upstream { continue }
      if isOnlyAwaitedLive ? isOpen(earlier, &core, clients) : !mayHaveEnded(earlier, &core, clients) {
        complain("invariant 3: \(view.creator) was sent before \(tasks[earlier].creator) ended")
      }
    }
    // One that waited for room had its turn before it was sent.
    guard !upstreams[view.upstream].isBacklogged, upstreams[view.upstream].outputSoftBytes >= World.tightBytes
    else {
      return
    }
    expect(
      unsettled < bounds.orphansPerLane,
      "invariant 9: \(view.creator) was sent beside \(unsettled) that drain")
  }
}
