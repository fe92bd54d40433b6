extension TaskStore {
  // MARK: Starting

  /// Starts what can start, oldest first, and lets an empty lane go.
  mutating func startReady(in key: TaskKey, effects: inout [TaskEffect]) {
    var slot = lanes[key.slot].first
    var isHeldUp = false
    while slot != 0, lanes[key.slot].queued > 0 {
      if lanes[key.slot].unsettled >= limits.orphansPerLane { return }
      if isHeldUp && lanes[key.slot].queuedWithoutWaiting == 0 { return }
      if tasks[slot].state == .queued, !tasks[slot].isDebounced,
        !(tasks[slot].policy.waitsForEarlier && isHeldUp)
      {
        start(slot, effects: &effects)
      }
      isHeldUp = isHeldUp || tasks[slot].state.holdsUpOthers
      slot = tasks[slot].next
    }
  }

  mutating func start(_ slot: Int, effects: inout [TaskEffect]) {
    leaveQueue(slot)
    tasks[slot].state = .running
    if let key = tasks[slot].key {
      lanes[key.slot].running += 1
      if tasks[slot].endsOnCancel { lanes[key.slot].runningEndsOnCancel += 1 }
    }
    effects.append(.start(id(of: slot)))
  }

  // MARK: Superseding

  /// Supersedes a lane's live tasks from one on up to a generation: first every reply, then every cancel.
  mutating func supersede(from first: Int, by generation: UInt64, effects: inout [TaskEffect]) {
    var slot = first
    while slot != 0, tasks[slot].generation < generation {
      if tasks[slot].state.isLive { refuseAll(slot, .superseded(by: generation), effects: &effects) }
      slot = tasks[slot].next
    }
    slot = first
    while slot != 0, tasks[slot].generation < generation {
      let next = tasks[slot].next
      if tasks[slot].state.isLive { abandon(slot, effects: &effects) }
      slot = next
    }
  }

  /// Found from the newest on, past nothing but live tasks and what drains among them: thousands may drain before.
  func oldestLive(in lane: Lane) -> Int {
    var unseen = lane.queued + lane.running
    var (slot, oldest) = (lane.last, 0)
    while unseen > 0 {
      if tasks[slot].state.isLive {
        oldest = slot
        unseen -= 1
      }
      slot = tasks[slot].previous
    }
    return oldest
  }

  /// An answer supersedes what is older than its task (`onAnswer`).
  mutating func supersedeOlder(than slot: Int, effects: inout [TaskEffect]) {
    guard let key = tasks[slot].key else { return }
    let generation = tasks[slot].generation
    lanes[key.slot].supersededBelow = max(lanes[key.slot].supersededBelow, generation)
    supersede(from: lanes[key.slot].first, by: generation, effects: &effects)
  }

  /// Nobody waits for this live task any more: upstream never hears of it, or hears that it is cancelled.
  mutating func abandon(_ slot: Int, effects: inout [TaskEffect]) {
    if tasks[slot].state == .queued {
      effects.append(.drop(id(of: slot)))
      remove(slot)
      return
    }
    effects.append(.cancel(id(of: slot)))
    if tasks[slot].endsOnCancel {
      effects.append(.drop(id(of: slot)))
      remove(slot)
    } else {
      drain(slot)
    }
  }

  private mutating func drain(_ slot: Int) {
    leaveRunning(slot)
    if tasks[slot].isNotification { liveNotifications -= 1 }
    tasks[slot].state = .draining
    if let key = tasks[slot].key { lanes[key.slot].draining += 1 }
    timers.set(
      .grace, of: slot, generation: tasks[slot].generation,
      at: nowMilliseconds + UInt64(tasks[slot].drainMilliseconds))
  }

  /// The drain grace is over: the task holds up nobody any more.
  mutating func outliveGrace(_ slot: Int, effects: inout [TaskEffect]) {
    timers.clear(ofTask: slot)
    tasks[slot].state = .orphaned
    timers.set(
      .orphan, of: slot, generation: tasks[slot].generation,
      at: nowMilliseconds + limits.orphanMilliseconds)
    guard let key = tasks[slot].key else { return }
    lanes[key.slot].draining -= 1
    lanes[key.slot].orphaned += 1
    startReady(in: key, effects: &effects)
  }
}
