import HotData

extension TaskStore {
  /// When the next timer is due.
  package var nextDueMilliseconds: UInt64? { timers.isEmpty ? nil : timers.nextDueMilliseconds }

  /// Time passed; it never goes back. `fireTimer` then says what that means.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    nowMilliseconds = max(nowMilliseconds, milliseconds)
  }

  /// Fires the first timer that is due; false when none is. One timer is one event: call it until it says so.
  package mutating func fireTimer(effects: inout TaskEffects) -> Bool {
    guard !timers.isEmpty, timers.nextDueMilliseconds <= nowMilliseconds else { return false }
    let (purpose, owner) = timers.next
    switch purpose {
    case .deadline:
      leave(WaiterID(index: owner), because: .deadlineExceeded, effects: &effects)
    case .grace:
      outliveGrace(owner, effects: &effects)
    case .debounce:
      clearTimer(of: owner)
      tasks[owner].isDebounced = false
      guard let key = tasks[owner].key else { break }
      countStartable(owner, in: key, 1)
      startReady(in: key, effects: &effects)
    case .orphan:
      effects.append(.drop(id(of: owner)))
      end(owner, effects: &effects)
    }
    return true
  }

  // MARK: A task's own timer

  /// Sets the timer of a task that has none.
  mutating func setTimer(_ purpose: TimerPurpose, of slot: Int32, after milliseconds: UInt64) {
    assert(tasks[slot].timer == 0, "a timer is set twice")
    tasks[slot].timer = timers.set(
      purpose, of: slot, generation: tasks[slot].generation, after: milliseconds, now: nowMilliseconds)
  }

  mutating func clearTimer(of slot: Int32) {
    let timer = tasks[slot].timer
    guard timer != 0 else { return }
    tasks[slot].timer = 0
    timers.clear(timer)
  }
}
