import HotData

// What every request passes is inlined by hand where a call costs as much as what it does.
extension TaskStore {
  // MARK: Callers

  /// One caller leaves; the last one to leave takes the task with it. Siblings and predecessors are unharmed.
  mutating func leave(
    _ waiter: WaiterID, because reason: Refusal.Reason?, effects: inout TaskEffects
  ) {
    let slot = waiters[waiter.index].task
    precondition(slot != 0, "a caller left twice")
    let hasSiblings = waiters[waiter.index].previous != 0 || waiters[waiter.index].next != 0
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

  /// Several callers leave in one event: every reply, then every cancel, then every start.
  mutating func leave(
    _ leaving: [WaiterID], because reason: Refusal.Reason, effects: inout TaskEffects
  ) {
    let slots = leaving.map { waiters[$0.index].task }
    for waiter in leaving { unlink(waiter.index) }
    for (waiter, slot) in zip(leaving, slots) {
      var refusal = refusal(reason, of: slot)
      refusal.taskGoesOn = tasks[slot].firstWaiter != 0
      effects.append(.refuse(waiter, refusal))
    }
    var keys: Set<Int> = []
    for slot in slots where tasks[slot].firstWaiter == 0 && tasks[slot].state.isLive {
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

  private func refusal(_ reason: Refusal.Reason, of slot: Int32) -> Refusal {
    Refusal(reason, task: id(of: slot), generation: tasks[slot].generation, key: tasks[slot].key)
  }

  /// Takes every waiter off a task, in the order in which they came.
  mutating func forEachWaiter(of slot: Int32, _ body: (WaiterID) -> Void) {
    var waiter = tasks[slot].firstWaiter
    while waiter != 0 {
      let next = waiters[waiter].next
      unlink(waiter)
      body(WaiterID(index: waiter))
      waiter = next
    }
  }

  private mutating func unlink(_ slot: Int32) {
    let waiter = waiters[slot]
    timers.clear(waiter.deadline)
    if waiter.previous == 0 {
      tasks[waiter.task].firstWaiter = waiter.next
    } else {
      waiters[waiter.previous].next = waiter.next
    }
    if waiter.next == 0 {
      tasks[waiter.task].lastWaiter = waiter.previous
    } else {
      waiters[waiter.next].previous = waiter.previous
    }
    tasks[waiter.task].waiterCount -= 1
    waiters[slot] = WaiterRecord()
    waiters.free(slot)
  }

  // MARK: Ending

  /// A task has ended: whatever waited for it starts.
  mutating func end(_ slot: Int32, effects: inout TaskEffects) {
    let key = tasks[slot].key
    remove(slot)
    if let key { settle(key, effects: &effects) }
  }

  /// After tasks left a lane: start what can start, or let the lane go.
  mutating func settle(_ key: TaskKey, effects: inout TaskEffects) {
    startReady(in: key, effects: &effects)
    retireIfEmpty(key, effects: &effects)
  }

  @inline(__always)
  private mutating func retireIfEmpty(_ key: TaskKey, effects: inout TaskEffects) {
    guard lanes[key.index].isEmpty else { return }
    lanes[key.index] = Lane()
    effects.append(.retire(key))
  }

  mutating func remove(_ slot: Int32) {
    assert(tasks[slot].firstWaiter == 0, "a caller would never be answered")
    switch tasks[slot].state {
    case .free: preconditionFailure("a task ended twice")
    case .queued: leaveQueue(slot)
    case .running: leaveRunning(slot)
    case .draining:
      if let key = tasks[slot].key { lanes[key.index].draining -= 1 }
      if tasks[slot].isCompensated { owedCompensations -= 1 }
    case .orphaned: if let key = tasks[slot].key { lanes[key.index].orphaned -= 1 }
    }
    if tasks[slot].isNotification && tasks[slot].state.isLive { liveNotifications -= 1 }
    clearTimer(of: slot)
    if let key = tasks[slot].key { unlink(slot, from: key) }
    tasks[slot].state = .free
    tasks[slot].isDebounced = false
    advanceReuse(of: slot)
    tasks.free(slot)
  }

  mutating func advanceReuse(of slot: Int32) {
    tasks[slot].reuse = (tasks[slot].reuse &+ 1) & (1 << UInt16(TaskID.reuseBits) - 1)
  }

  @inline(__always)
  private mutating func unlink(_ slot: Int32, from key: TaskKey) {
    let (previous, next) = (tasks[slot].previous, tasks[slot].next)
    if previous == 0 { lanes[key.index].first = next } else { tasks[previous].next = next }
    if next == 0 { lanes[key.index].last = previous } else { tasks[next].previous = previous }
  }

  mutating func leaveQueue(_ slot: Int32) {
    guard let key = tasks[slot].key else { return }
    countQueued(slot, in: key, -1)
    if lanes[key.index].queuedKeepLatest == slot { lanes[key.index].queuedKeepLatest = 0 }
  }

  /// Keeps a lane's counts of queued tasks by what they wait for.
  mutating func countQueued(_ slot: Int32, in key: TaskKey, _ change: Int32) {
    lanes[key.index].queued += change
    if !tasks[slot].isDebounced { countStartable(slot, in: key, change) }
  }

  /// The same of those that nothing but others of the lane holds back.
  mutating func countStartable(_ slot: Int32, in key: TaskKey, _ change: Int32) {
    switch tasks[slot].waitsFor {
    case .nothing: lanes[key.index].queuedWithoutWaiting += change
    case .earlierLive: lanes[key.index].queuedBehindLive += change
    case .everyEarlier: break
    }
  }

  @inline(__always)
  mutating func leaveRunning(_ slot: Int32) {
    guard let key = tasks[slot].key else { return }
    lanes[key.index].running -= 1
    if tasks[slot].endsOnCancel { lanes[key.index].runningEndsOnCancel -= 1 }
  }

  // MARK: What must never happen

  /// The generation check at the commit point: a superseded task's result is never committed.
  @inline(__always)
  func checkCommit(_ slot: Int32) {
    guard let key = tasks[slot].key else { return }
    precondition(
      tasks[slot].generation >= lanes[key.index].supersededBelow, "a superseded result would be delivered")
  }
}
