import GatewayCore
import TaskStore

/// Tasks of a connection that is gone drain for the operator's time.
extension Oracle {
  /// Tasks on their way to upstream drain now, others later.
  mutating func noteLeftBehind(by client: Int) {
    for number in clients[client].admitted {
      let task = records[number].ownTask
      guard tasks[task].creator == number else { continue }
      if tasks[task].drainMilliseconds > records[number].terms.leftDrainMilliseconds {
        coverage.count(.leftBehind)
      }
      tasks[task].drainMilliseconds = records[number].terms.leftDrainMilliseconds
      guard tasks[task].callerCount == 1, tasks[task].lane >= 0, !tasks[task].isUndoable else { continue }
      tasks[task].goneMilliseconds = nowMilliseconds
      if tasks[task].isAtUpstream { leftBehind.append(task) }
    }
    clients[client].admitted.removeAll(keepingCapacity: false)
  }

  // MARK: Room for others

  /// At the bound of tasks the gateway forgets some that nobody wants any more and whose clients are gone. Which of them
  /// it does not say.
  mutating func noteForgotten(_ core: borrowing GatewayCore) {
    guard core.counters.tasksForgotten != forgottenSoFar else { return }
    forgottenSoFar = core.counters.tasksForgotten
    coverage.count(.forgotten)
    for task in tasks.indices where mayBeOfNobody(task) {
      tasks[task].mayBeForgotten = true
    }
  }

  private func mayBeOfNobody(_ task: Int) -> Bool {
    let creator = tasks[task].creator
    guard creator != 0 else { return true }
    let client = clients[records[creator].client]
    return !tasks[task].isUndoable && (client.goneTurn <= turn || client.wantsNothing)
  }

  /// Whether there is a task that has to make room for others, as it had to when room was last looked for.
  var hasForgettableTask: Bool {
    let milliseconds = Int(GatewayCore.taskSearchMilliseconds)
    return tasks.indices.contains { index in
      let task = tasks[index]
      guard task.isAtUpstream, task.goneMilliseconds < nowMilliseconds - milliseconds else { return false }
      return !task.isNotification && !task.isUndoable && isSurelyKnown(index)
    }
  }

  // MARK: The operator's time

  /// Whether a task whose only caller went with its connection has had its grace: it holds up nobody any more.
  func isSurelyOutOfGrace(_ index: Int) -> Bool { isSurelyOutOfGrace(index, at: nowMilliseconds) }

  func isSurelyOutOfGrace(_ index: Int, at milliseconds: Int) -> Bool {
    let task = tasks[index]
    // A grace of nothing is over when the clock next moves.
    return task.goneMilliseconds < .max
      && milliseconds >= task.goneMilliseconds + max(1, task.drainMilliseconds)
  }

  /// Whether a task that nobody saw, of one that came and went with the same bytes, may still be in its lane.
  private func mayHoldUnseen(_ lane: Int) -> Bool {
    let longest =
      Self.longestDrainMilliseconds + bounds.longestOrphanMilliseconds + bounds.longestUndoingMilliseconds
    return lanes[lane].hadUnseen && nowMilliseconds <= lanes[lane].unseenMilliseconds + longest
  }

  /// The longest drain that simulated requests ask for.
  private static let longestDrainMilliseconds = 10_000

  /// Time has passed: requests that waited only for a task in its grace have started.
  mutating func judgeLeftBehind(_ core: inout GatewayCore, _ clients: ClientTable) {
    leftBehind.removeAll { !tasks[$0].isAtUpstream }
    let over = leftBehind.filter(isSurelyOutOfGrace)
    guard !over.isEmpty, !isShutDown else { return }
    for lane in Set(over.map { tasks[$0].lane }).sorted() where !mayHoldUnseen(lane) {
      for number in lanes[lane].requests { expectReasonToWait(number, &core, clients) }
    }
    leftBehind.removeAll(where: isSurelyOutOfGrace)
  }

  private mutating func expectReasonToWait(
    _ number: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let record = records[number]
    guard record.isOwed, record.isClear, record.task >= 0, tasks[record.task].creator == number,
      record.terms.debounceMilliseconds == 0, tasks[record.task].spared < 0,
      openRequest(number, &core, clients)?.state == .queued
    else { return }
    var (unended, holding, isBehindQueued) = (0, 0, false)
    for other in lanes[record.lane].tasks where other != record.task {
      let isEarlier = tasks[other].admitted < tasks[record.task].admitted
      if let open = open(other, &core, clients) {
        guard isEarlier else { continue }
        holding += 1
        if open.state == .queued { isBehindQueued = true }
      } else if !isOver(other) {
        unended += 1
        if isEarlier && !isSurelyOutOfGrace(other) { holding += 1 }
        if isEarlier && mayBeQueuedUnseen(other) { isBehindQueued = true }
      }
    }
    let task = tasks[record.task]
    let waitsForOthers = task.waitsForEarlier && (isBehindQueued || holding >= task.maxRunning)
    expect(
      unended >= bounds.tightestOrphansPerLane || waitsForOthers,
      "request \(number) still waits, for what was left behind and has had its grace")
  }
}
