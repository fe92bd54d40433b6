import HotData

extension TaskStore {
  /// When the next timer is due.
  package var nextDueMilliseconds: UInt64? {
    timerCount == 0 ? nil : Timer.dueMilliseconds(min(deadlines.nextRank, timers.nextRank))
  }

  /// Time passed; it never goes back. `fireTimer` then says what that means.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    nowMilliseconds = max(nowMilliseconds, milliseconds)
  }

  /// Fires the first timer that is due; false when none is. One timer is one event: call it until it says so.
  package mutating func fireTimer(effects: inout TaskEffects) -> Bool {
    guard let due = nextDueMilliseconds, due <= nowMilliseconds else { return false }
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
      lanes[key.index].countStartable(tasks[owner], 1)
      startReady(in: key, effects: &effects)
    case .orphan:
      effects.append(.drop(id(of: owner)))
      end(owner, effects: &effects)
    }
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
