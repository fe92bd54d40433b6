import HotData

extension TaskStore {
  /// When the next timer is due.
  package var nextDueMilliseconds: UInt64? { dueMilliseconds == .max ? nil : dueMilliseconds }

  /// The same; the largest number: there is none.
  @inlinable
  package var dueMilliseconds: UInt64 {
    let rank = min(deadlines.nextRank, timers.nextRank)
    return rank == .max ? .max : Timer.dueMilliseconds(rank)
  }

  /// Time passed; it never goes back. `fireTimer` then says what that means.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    nowMilliseconds = max(nowMilliseconds, milliseconds)
  }

  /// Whether there is a timer to fire.
  @inlinable package var isTimerDue: Bool { dueMilliseconds <= nowMilliseconds }

  /// Fires the first timer that is due; false when none is. One timer is one event: call it until it says so.
  @discardableResult
  package mutating func fireTimer(effects: inout TaskEffects) -> Bool {
    guard isTimerDue else { return false }
    if deadlines.nextRank < timers.nextRank {
      leave(WaiterID(index: deadlines.next), because: .deadlineExceeded, effects: &effects)
    } else {
      fire(timers.nextPurpose, of: timers.next, effects: &effects)
    }
    return true
  }

  private mutating func fire(_ purpose: TimerPurpose, of owner: Int32, effects: inout TaskEffects) {
    switch purpose {
    case .deadline: preconditionFailure("a deadline among the timers of tasks")
    case .grace:
      outliveGrace(owner, effects: &effects)
    case .debounce:
      clearTimer(of: owner)
      tasks[owner].isDebounced = false
      guard let key = tasks[owner].key else { break }
      if tasks[owner].isStartable { index.isStartable(owner, in: key) }
      startReady(in: key, effects: &effects)
    case .orphan:
      effects.append(.drop(id(of: owner)))
      end(owner, effects: &effects)
    }
  }

  /// Fires what is due of one task, before others that may be due earlier: first its callers' deadlines, then its own
  /// timer. The task may end of it.
  package mutating func fireTimers(of task: TaskID, effects: inout TaskEffects) {
    var overdue: [WaiterID] = []
    var waiter = tasks[task.index].firstWaiter
    while waiter != 0 {
      if deadlines.state(of: waiter).dueMilliseconds <= nowMilliseconds {
        overdue.append(WaiterID(index: waiter))
      }
      waiter = waiters[waiter].next
    }
    if !overdue.isEmpty { leave(overdue, because: .deadlineExceeded, effects: &effects) }
    guard knows(task), tasks[task.index].hasTimer else { return }
    let (purpose, due) = timers.state(of: task.index)
    if due <= nowMilliseconds { fire(purpose, of: task.index, effects: &effects) }
  }

  /// A caller waits until a time, unless it waits longer anyway, or has waited long enough.
  package mutating func putOff(_ waiter: WaiterID, to dueMilliseconds: UInt64) {
    let slot = waiter.index
    precondition(waiters[slot].task != 0, "a caller waits longer, and is not there")
    let before = deadlines.state(of: slot).dueMilliseconds
    guard nowMilliseconds < before, before < dueMilliseconds else { return }
    let generation = tasks[waiters[slot].task].generation
    deadlines.clear(slot)
    deadlines.set(
      .deadline, of: slot, generation: generation, after: dueMilliseconds - nowMilliseconds,
      now: nowMilliseconds)
  }

  /// The connection that asked for this task is gone: it holds up others no longer than the operator has it.
  package mutating func leftBehind(
    _ task: TaskID, drainMilliseconds: UInt32, effects: inout TaskEffects
  ) {
    precondition(knows(task), "left behind, and not there")
    let slot = task.index
    guard drainMilliseconds < tasks[slot].drainMilliseconds else { return }
    let excess = UInt64(tasks[slot].drainMilliseconds - drainMilliseconds)
    tasks[slot].drainMilliseconds = drainMilliseconds
    guard tasks[slot].state == .draining, !tasks[slot].isCompensating else { return }
    let (purpose, due) = timers.state(of: slot)
    if due <= nowMilliseconds + excess { return fire(purpose, of: slot, effects: &effects) }
    clearTimer(of: slot)
    setTimer(purpose, of: slot, after: due - excess - nowMilliseconds)
  }

  /// For what upstream has been told to end or to undo no time has passed: it may hear of that only now.
  package mutating func stoodStill(forMilliseconds milliseconds: UInt64) {
    for slot in 1..<Int32(truncatingIfNeeded: tasks.endSlot) where tasks[slot].state == .draining {
      let (purpose, due) = timers.state(of: slot)
      clearTimer(of: slot)
      setTimer(purpose, of: slot, after: max(due, nowMilliseconds) - nowMilliseconds + milliseconds)
    }
  }

  /// Whether nobody wants this task any more, and nothing that it does will have to be undone.
  package func isForgettable(_ task: TaskID) -> Bool {
    guard knows(task) else { return false }
    let record = tasks[task.index]
    return record.state.isOver && !record.isCompensated && !record.isNotification
  }

  /// Others need its place: it ends as if it had drained and been an orphan for long enough.
  package mutating func forgotten(_ task: TaskID, effects: inout TaskEffects) {
    precondition(isForgettable(task), "forgotten, and somebody wants it")
    effects.append(.drop(task))
    end(task.index, effects: &effects)
  }

  // MARK: A task's own timer

  /// Sets the timer of a task that has none.
  mutating func setTimer(_ purpose: TimerPurpose, of slot: Int32, after milliseconds: UInt64) {
    assert(!tasks[slot].hasTimer, "a timer is set twice")
    tasks[slot].hasTimer = true
    timers.set(
      purpose, of: slot, generation: tasks[slot].generation, after: milliseconds, now: nowMilliseconds)
  }

  mutating func clearTimer(of slot: Int32) {
    guard tasks[slot].hasTimer else { return }
    tasks[slot].hasTimer = false
    timers.clear(slot)
  }
}
