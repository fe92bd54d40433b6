import HotData

// Code on the path of every request is inlined by hand where a call costs as much as its body.
extension TaskStore {
  /// A request arrives. Returns what becomes of it; all else that happens is in the effects.
  package mutating func submit(_ request: Admission, effects: inout TaskEffects) -> Submission {
    if let key = request.key {
      while lanes.count <= key.slot { lanes.append(Lane()) }
      if !lanes[key.index].isEmpty || request.debounceMilliseconds > 0 || request.kind != 0 {
        return submit(request, in: key, effects: &effects)
      }
    }
    return submitAlone(request, effects: &effects)
  }

  /// A task that is in no lane, or alone in its own: nothing is superseded, and nothing holds it up.
  @inline(__always)
  private mutating func submitAlone(_ request: Admission, effects: inout TaskEffects) -> Submission {
    guard taskCount < limits.tasks else { return overloaded(.tasks, request, effects: &effects) }
    guard request.isNotification || waiterCount < limits.waiters else {
      return overloaded(.waiters, request, effects: &effects)
    }
    let slot = takeSlot()
    var task = newTask(request, at: slot)
    task.state = .running
    tasks[slot] = task
    if let key = request.key { lanes[key.index].begin(with: task, at: slot) }
    let id = TaskID(index: slot, reuse: task.reuse)
    effects.append(.start(id))
    return .admitted(id, task.firstWaiter == 0 ? nil : WaiterID(index: task.firstWaiter))
  }

  /// A refused request leaves nothing behind, not even a key.
  @inline(never)
  private mutating func overloaded(
    _ bound: StoreLimits.Bound, _ request: Admission, effects: inout TaskEffects
  ) -> Submission {
    if let key = request.key { retireIfEmpty(key, effects: &effects) }
    return .overloaded(bound)
  }

  @inline(never)
  private mutating func submit(
    _ request: Admission, in key: TaskKey, effects: inout TaskEffects
  ) -> Submission {
    becomeIndexed(key)
    if request.policy == .preferPrevious || request.join != .never, let newest = newestLive(in: key) {
      if request.mayJoin { return join(newest, request, in: key, effects: &effects) }
      if request.policy == .preferPrevious { return .busy }
    }
    // Read first: as an argument it would make the compiler copy the whole store for the call.
    let lane = lanes[key.index]
    let reach = Reach(policy: request.effectivePolicy, spared: spared(by: request, in: key))
    if let bound = boundExceeded(by: request, reach, in: key) {
      return overloaded(bound, request, effects: &effects)
    }
    // The new task takes its slots before others are freed: no effect may name a slot that has a new owner.
    let slot = takeSlot()
    tasks[slot] = newTask(request, at: slot)
    if request.kind != 0 {
      noteKind(of: slot, request, in: key)
      noteCaller(tasks[slot].firstWaiter, of: slot, follows: request.follows)
    }
    if reach.spared != 0 { tasks[slot].waitsFor = max(tasks[slot].waitsFor, .earlierLive) }
    debounce(slot, request, in: key)
    supersede(reach, in: key, by: slot, effects: &effects)
    let isReady = isReady(slot, in: lanes[key.index])
    append(slot, to: key)
    if isReady { run(slot, in: key, effects: &effects) } else { enqueue(slot, in: key) }
    if request.policy == .keepLatest && lane.queuedKeepLatest != 0 {
      // The one it replaced may have been debounced, and the only one that held up those behind it.
      startReady(in: key, effects: &effects)
    }
    return admitted(slot)
  }

  /// Which live tasks of its lane a request supersedes: as its policy says, but for one, if any, that is spared.
  struct Reach {
    let policy: DuplicatePolicy
    let spared: Int32
  }

  /// One more caller of the newest live task; older ones are superseded as the request's policy says.
  private mutating func join(
    _ newest: TaskID, _ request: Admission, in key: TaskKey, effects: inout TaskEffects
  ) -> Submission {
    let lane = lanes[key.index]
    let reach = Reach(policy: request.effectivePolicy, spared: spared(by: request, in: key))
    guard
      waiterCount < limits.waiters
        || replacesACaller(followed(newest.index, by: request), reach, in: key, before: newest.index)
    else { return .overloaded(.waiters) }
    guard tasks[newest.index].waiterCount < limits.callersPerTask else { return .overloaded(.callers) }
    guard hasRoom(inLane: key, joining: newest.index, reach) else { return .overloaded(.lane) }
    let waiter = addWaiter(to: newest.index, timeout: request.timeoutMilliseconds)
    if request.kind != 0 { noteKind(of: newest.index, request, in: key) }
    if tasks[newest.index].hasKind { noteCaller(waiter.index, of: newest.index, follows: request.follows) }
    if request.policy != .keepLatest || isOlder(lane.queuedKeepLatest, than: newest.index) {
      supersede(reach, in: key, by: newest.index, effects: &effects)
      settle(key, effects: &effects)
    }
    return .joined(newest, waiter)
  }

  /// Whether there is such a task, and it came before the other.
  func isOlder(_ slot: Int32, than other: Int32) -> Bool {
    slot != 0 && tasks[slot].generation < tasks[other].generation
  }

  /// Whether a task that is to join its lane starts at once. Whatever else of the lane could start has started.
  private func isReady(_ slot: Int32, in lane: Lane) -> Bool {
    guard lane.unsettled < limits.orphansPerLane, !tasks[slot].isDebounced else { return false }
    if tasks[slot].maxRunning > 1 {
      return lane.queued == 0 && lane.running + lane.draining < tasks[slot].maxRunning
    }
    let obstacle: Obstacle =
      lane.queued + lane.running > 0 ? .live : lane.draining > 0 ? .unended : .none
    return !obstacle.holdsUp(tasks[slot].waitsFor)
  }

  /// A debounced task starts when it has been the newest for a while, or when its burst has lasted too long.
  private mutating func debounce(_ slot: Int32, _ request: Admission, in key: TaskKey) {
    guard request.debounceMilliseconds > 0 else { return }
    let burst = burstReplaced(by: request.effectivePolicy, in: key) ?? nowMilliseconds
    var due = nowMilliseconds + UInt64(request.debounceMilliseconds)
    if request.maxWaitMilliseconds > 0 { due = min(due, burst + UInt64(request.maxWaitMilliseconds)) }
    tasks[slot].beginOrGoOnWithBurst(at: burst)
    guard due > nowMilliseconds else { return }
    tasks[slot].isDebounced = true
    setTimer(.debounce, of: slot, after: due - nowMilliseconds)
  }

  /// When the burst of the queued task began that a new request supersedes; nil: there is none. A burst whose time is
  /// over, but which others hold up, has not ended: it has started nothing.
  private func burstReplaced(by policy: DuplicatePolicy, in key: TaskKey) -> UInt64? {
    if policy == .keepLatest {
      let queued = lanes[key.index].queuedKeepLatest
      return tasks[queued].isOfBurst ? burstMilliseconds(of: queued) : nil
    }
    guard policy.supersedesAtAdmission, lanes[key.index].queued > 0 else { return nil }
    var walk = LiveWalk(fromNewestOf: index[key])
    while let slot = takeNewest(&walk) {
      if tasks[slot].state == .queued && tasks[slot].isOfBurst { return burstMilliseconds(of: slot) }
    }
    return nil
  }

  private func burstMilliseconds(of slot: Int32) -> UInt64 {
    nowMilliseconds - UInt64(UInt32(truncatingIfNeeded: nowMilliseconds) &- tasks[slot].burst)
  }

  private func admitted(_ slot: Int32) -> Submission {
    let waiter = tasks[slot].firstWaiter
    return .admitted(id(of: slot), waiter == 0 ? nil : WaiterID(index: waiter))
  }

  /// Bounds are checked as things will stand after supersession, and before anything is superseded.
  private func boundExceeded(
    by request: Admission, _ reach: Reach, in key: TaskKey
  ) -> StoreLimits.Bound? {
    let (policy, lane) = (reach.policy, lanes[key.index])
    var leaving: Int32 = 0
    var (queued, unended) = (lane.queued, lane.running + lane.draining)
    var live = liveCount(in: key)
    if policy.supersedesAtAdmission {
      let sparedEndsOnCancel = reach.spared != 0 && tasks[reach.spared].endsOnCancel
      leaving = lane.queued + lane.runningEndsOnCancel - (sparedEndsOnCancel ? 1 : 0)
      leaving += request.unsentSuperseded
      queued = 0
      live = reach.spared == 0 ? 0 : Int(tasks[reach.spared].waiterCount)
      unended -= lane.runningEndsOnCancel
    } else if policy == .keepLatest, lane.queuedKeepLatest != 0 {
      leaving = 1
      queued -= 1
      live -= Int(max(1, tasks[lane.queuedKeepLatest].waiterCount))
    }
    let isHeldUp = queued > 0 || unended >= request.effectiveMaxRunning
    if taskCount - Int(leaving) >= limits.tasks { return .tasks }
    if !request.isNotification, waiterCount >= limits.waiters, !replacesACaller(request, reach, in: key) {
      return .waiters
    }
    if live >= limits.tasksPerLane { return .lane }
    let waits =
      policy.waitsForEarlier && isHeldUp || lane.unsettled >= limits.orphansPerLane
      || request.debounceMilliseconds > 0
    return waits && queued >= limits.queuePerLane ? .queue : nil
  }

  /// The live tasks of a lane, each as often as it has callers.
  private func liveCount(in key: TaskKey) -> Int {
    Int(lanes[key.index].queued + lanes[key.index].running + index[key].joined)
  }

  /// Whether a lane has room for one more caller of a task once those that are older have been superseded. No more of
  /// them are looked at than have to make room.
  private func hasRoom(inLane key: TaskKey, joining newest: Int32, _ reach: Reach) -> Bool {
    var live = liveCount(in: key)
    if reach.policy.supersedesAtAdmission {
      var walk = LiveWalk(fromOldestOf: index[key])
      while live >= limits.tasksPerLane, let older = takeOldest(&walk), isOlder(older, than: newest) {
        if older != reach.spared { live -= Int(max(1, tasks[older].waiterCount)) }
      }
    } else if reach.policy == .keepLatest, isOlder(lanes[key.index].queuedKeepLatest, than: newest) {
      live -= Int(max(1, tasks[lanes[key.index].queuedKeepLatest].waiterCount))
    }
    return live < limits.tasksPerLane
  }

  /// Whether at least one caller of an older task leaves when a request comes.
  private func replacesACaller(
    _ request: Admission, _ reach: Reach, in key: TaskKey, before end: Int32 = 0
  ) -> Bool {
    if reach.policy == .keepLatest {
      let queued = lanes[key.index].queuedKeepLatest
      guard tasks[queued].firstWaiter != 0, end == 0 || isOlder(queued, than: end) else { return false }
      var room = roomForFollowers(joining: end)
      return leavesACaller(queued, whenSupersededBy: request, room: &room)
    }
    guard reach.policy.supersedesAtAdmission else { return false }
    var room = roomForFollowers(joining: end)
    // Where nobody follows, the first caller of the first task leaves.
    var older = index[key].requests.first
    while older != 0, older != end {
      if older != reach.spared, leavesACaller(older, whenSupersededBy: request, room: &room) { return true }
      older = index.nextLive(after: older)
    }
    return false
  }

  private mutating func supersede(
    _ reach: Reach, in key: TaskKey, by newer: Int32, effects: inout TaskEffects
  ) {
    if reach.policy.supersedesAtAdmission {
      supersedeLive(in: key, by: newer, sparing: reach.spared, effects: &effects)
    } else if reach.policy == .keepLatest, lanes[key.index].queuedKeepLatest != 0 {
      noteSupersession(in: key)
      let queued = lanes[key.index].queuedKeepLatest
      endCallers(of: queued, by: newer, effects: &effects)
      abandon(queued, effects: &effects)
    }
  }

  private mutating func append(_ slot: Int32, to key: TaskKey) {
    let last = lanes[key.index].last
    tasks[slot].previous = last
    if last == 0 { lanes[key.index].first = slot } else { tasks[last].next = slot }
    lanes[key.index].last = slot
    index.add(slot, tasks[slot], in: key)
  }

  private mutating func enqueue(_ slot: Int32, in key: TaskKey) {
    lanes[key.index].queued += 1
    queuedTasks += 1
    if tasks[slot].isStartable { index.isStartable(slot, in: key) }
    if tasks[slot].policy == .keepLatest { lanes[key.index].queuedKeepLatest = slot }
  }
}
