import HotData

// Code on the path of every request is inlined by hand where a call costs as much as its body.
extension TaskStore {
  // MARK: Callers

  /// One caller leaves; the last one to leave takes the task with it. Siblings and predecessors are unharmed.
  mutating func leave(
    _ waiter: WaiterID, because reason: Refusal.Reason?, effects: inout TaskEffects
  ) {
    let slot = waiters[waiter.index].task
    precondition(slot != 0, "a caller left twice")
    let hasSiblings = tasks[slot].waiterCount > 1
    if let reason {
      var refusal = refusal(reason, of: slot)
      refusal.taskGoesOn = hasSiblings
      effects.append(.refuse(waiter, refusal))
    }
    unlink(waiter.index)
    guard !hasSiblings else { return }
    let key = tasks[slot].key
    abandon(slot, effects: &effects)
    if let key { settle(key, effects: &effects) }
  }

  /// Several callers, and senders of notifications, leave in one event: every reply, then every cancel, then every start.
  mutating func leave(
    _ leaving: [WaiterID], _ notifications: [TaskID] = [], because reason: Refusal.Reason?,
    effects: inout TaskEffects
  ) {
    let slots = leaving.map { waiters[$0.index].task }
    for waiter in leaving { unlink(waiter.index) }
    for (waiter, slot) in zip(leaving, slots) {
      guard let reason else { break }
      var refusal = refusal(reason, of: slot)
      refusal.taskGoesOn = tasks[slot].firstWaiter != 0
      effects.append(.refuse(waiter, refusal))
    }
    abandonAll(slots + notifications.map(\.index), effects: &effects)
  }

  /// Ends the live tasks among these without callers. What they held up starts behind all of them, and not in between.
  mutating func abandonAll(_ left: [Int32], effects: inout TaskEffects) {
    var keys: Set<Int> = []
    for slot in left where tasks[slot].firstWaiter == 0 && tasks[slot].state.isLive {
      if let key = tasks[slot].key { keys.insert(key.slot) }
      abandon(slot, effects: &effects)
    }
    for key in keys.sorted() { startReady(in: TaskKey(slot: key), effects: &effects) }
    for key in keys.sorted() { retireIfEmpty(TaskKey(slot: key), effects: &effects) }
  }

  mutating func refuseAll(_ slot: Int32, _ reason: Refusal.Reason, effects: inout TaskEffects) {
    let refusal = refusal(reason, of: slot)
    forEachWaiter(of: slot) { effects.append(.refuse($0, refusal)) }
  }

  func refusal(_ reason: Refusal.Reason, of slot: Int32) -> Refusal {
    Refusal(
      reason, task: id(of: slot), generation: tasks[slot].generation, key: tasks[slot].key,
      policy: tasks[slot].policy)
  }

  /// A task loses all its callers; returns the first of them.
  @inline(__always)
  mutating func takeWaiters(of slot: Int32) -> Int32 {
    if tasks[slot].waiterCount > 1 { countJoined(1 - tasks[slot].waiterCount, with: slot) }
    return tasks[slot].takeWaiters()
  }

  /// More callers share a task's answer, or fewer.
  @inline(never)
  mutating func countJoined(_ change: Int32, with slot: Int32) {
    if let key = tasks[slot].key { index.countJoined(change, in: key) }
  }

  /// Takes every waiter off a task, in the order in which they came.
  @inline(__always)
  mutating func forEachWaiter(of slot: Int32, _ body: (WaiterID) -> Void) {
    var waiter = takeWaiters(of: slot)
    while waiter != 0 {
      let next = waiters[waiter].next
      forget(waiter)
      body(WaiterID(index: waiter))
      waiter = next
    }
  }

  private mutating func unlink(_ slot: Int32) {
    let waiter = waiters[slot]
    let first = tasks[waiter.task].firstWaiter
    if tasks[waiter.task].waiterCount > 1 { countJoined(-1, with: waiter.task) }
    tasks[waiter.task].waiterCount -= 1
    if first == slot {
      tasks[waiter.task].firstWaiter = waiter.next
    } else {
      waiters[waiter.previous].next = waiter.next
    }
    // Behind the last comes none, but before the first comes the last.
    let following = waiter.next == 0 ? first : waiter.next
    waiters[following].previous = waiter.previous
    forget(slot)
  }

  @inline(__always)
  mutating func forget(_ slot: Int32) {
    deadlines.clear(slot)
    waiters[slot] = WaiterRecord()
    waiters.free(slot)
  }

  // MARK: Ending

  /// A task has ended: whatever waited for it starts.
  @inline(__always)
  mutating func end(_ slot: Int32, effects: inout TaskEffects) {
    let task = tasks[slot]
    free(slot, task)
    guard let key = task.key else { return }
    // Alone it was all that its lane counted.
    if task.isAlone { return retire(key, effects: &effects) }
    unlink(slot, task, from: key)
    startReady(in: key, effects: &effects)
  }

  /// After tasks left a lane: start what can start, or let the lane go.
  mutating func settle(_ key: TaskKey, effects: inout TaskEffects) {
    startReady(in: key, effects: &effects)
    retireIfEmpty(key, effects: &effects)
  }

  mutating func retireIfEmpty(_ key: TaskKey, effects: inout TaskEffects) {
    if lanes[key.index].isEmpty { retire(key, effects: &effects) }
  }

  @inline(__always)
  private mutating func retire(_ key: TaskKey, effects: inout TaskEffects) {
    lanes[key.index] = Lane()
    effects.append(.retire(key))
  }

  /// A task is no more; its lane is not settled yet.
  mutating func remove(_ slot: Int32) {
    let task = tasks[slot]
    free(slot, task)
    if let key = task.key { unlink(slot, task, from: key) }
  }

  private mutating func unlink(_ slot: Int32, _ task: TaskRecord, from key: TaskKey) {
    if lanes[key.index].isIndexed { index.remove(slot, task, in: key) }
    lanes[key.index].remove(task, at: slot)
    if task.previous != 0 { tasks[task.previous].next = task.next }
    if task.next != 0 { tasks[task.next].previous = task.previous }
  }

  @inline(__always)
  private mutating func free(_ slot: Int32, _ task: TaskRecord) {
    assert(task.firstWaiter == 0, "a caller would never be answered")
    precondition(task.state != .free, "a task ended twice")
    if task.state == .queued { queuedTasks -= 1 }
    if task.isSpecial { discount(slot, task) }
    tasks[slot].end()
    tasks.free(slot)
  }

  @inline(never)
  private mutating func discount(_ slot: Int32, _ task: TaskRecord) {
    if task.hasTimer { timers.clear(slot) }
    // What nobody wants any more always has a timer.
    if task.state == .draining { drainingTasks -= 1 }
    if task.state == .orphaned { orphanedTasks -= 1 }
    if task.isNotification && task.state.isLive { liveNotifications -= 1 }
    if task.isCompensated && task.state == .draining { owedCompensations -= 1 }
  }

  // MARK: What must never happen

  /// The generation check at the commit point: a superseded task's result is never committed.
  @inline(__always)
  func checkCommit(_ task: TaskRecord) {
    guard let key = task.key else { return }
    precondition(
      task.generation >= lanes[key.index].supersededBelow, "a superseded result would be delivered")
  }
}
