import HotData

extension TaskStore {
  // MARK: Starting

  /// Starts what can start, oldest first, and lets an empty lane go.
  mutating func startReady(in key: TaskKey, effects: inout TaskEffects) {
    var slot = lanes[key.index].first
    var obstacle = Obstacle.none
    while slot != 0, lanes[key.index].queued > 0 {
      if lanes[key.index].unsettled >= limits.orphansPerLane { return }
      if obstacle >= .unended && lanes[key.index].queuedWithoutWaiting == 0 {
        if obstacle == .live || lanes[key.index].queuedBehindLive == 0 { return }
      }
      if tasks[slot].state == .queued, !tasks[slot].isDebounced, !obstacle.holdsUp(tasks[slot].waitsFor) {
        start(slot, in: key, effects: &effects)
      }
      obstacle = max(obstacle, Obstacle(tasks[slot].state))
      slot = tasks[slot].next
    }
  }

  /// The worst of what lies before a task in its lane.
  enum Obstacle: Comparable {
    case none, unended, live

    init(_ state: TaskState) { self = state.isLive ? .live : state.holdsUpOthers ? .unended : .none }

    func holdsUp(_ wait: TaskRecord.Wait) -> Bool {
      switch wait {
      case .nothing: false
      case .earlierLive: self == .live
      case .everyEarlier: self != .none
      }
    }
  }

  private mutating func start(_ slot: Int32, in key: TaskKey, effects: inout TaskEffects) {
    lanes[key.index].leaveQueue(tasks[slot], at: slot)
    run(slot, in: key, effects: &effects)
  }

  mutating func run(_ slot: Int32, in key: TaskKey, effects: inout TaskEffects) {
    tasks[slot].state = .running
    lanes[key.index].countRunning(tasks[slot], 1)
    effects.append(.start(id(of: slot)))
  }

  // MARK: Superseding

  /// Ends a lane's live tasks from one on up to a generation, but for one: first every reply, then every cancel.
  /// - Returns: whether there were any.
  @discardableResult
  mutating func endLive(
    from first: Int32, below generation: UInt64, sparing spared: Int32 = 0, _ reason: Refusal.Reason,
    effects: inout TaskEffects
  ) -> Bool {
    var slot = first
    while slot != 0, tasks[slot].generation < generation {
      if tasks[slot].state.isLive && slot != spared { refuseAll(slot, reason, effects: &effects) }
      slot = tasks[slot].next
    }
    slot = first
    var hasEnded = false
    while slot != 0, tasks[slot].generation < generation {
      let next = tasks[slot].next
      if tasks[slot].state.isLive && slot != spared {
        abandon(slot, effects: &effects)
        hasEnded = true
      }
      slot = next
    }
    return hasEnded
  }

  /// Supersedes a lane's live tasks from one on up to a generation, but for one.
  mutating func supersedeLive(
    from first: Int32, in key: TaskKey, below generation: UInt64, sparing spared: Int32 = 0,
    effects: inout TaskEffects
  ) {
    // The one that is spared supersedes nothing by that: only what is older than it is gone for good.
    let below = spared == 0 ? generation : tasks[spared].generation
    lanes[key.index].supersededBelow = max(lanes[key.index].supersededBelow, below)
    let hasEnded = endLive(
      from: first, below: generation, sparing: spared, .superseded(by: generation), effects: &effects)
    if hasEnded { noteSupersession(in: key) }
  }

  /// From the first task superseded after an answer on, the lane is stale.
  mutating func noteSupersession(in key: TaskKey) {
    guard !lanes[key.index].isStale else { return }
    lanes[key.index].becomeStale(at: nowMilliseconds)
  }

  /// The running task that a request lets be although it supersedes the lane's live tasks; 0: none.
  func spared(by request: Admission, in lane: Lane) -> Int32 {
    guard request.maxStaleMilliseconds > 0, request.effectivePolicy.supersedesAtAdmission, lane.isStale,
      nowMilliseconds - lane.staleSinceMilliseconds >= UInt64(request.maxStaleMilliseconds)
    else { return 0 }
    var (slot, unseen) = (lane.last, lane.running)
    while unseen > 0 {
      if tasks[slot].state == .running {
        if !tasks[slot].isNotification { return slot }
        unseen -= 1
      }
      slot = tasks[slot].previous
    }
    return 0
  }

  /// Found from the newest on, past nothing but live tasks and what drains among them: thousands may drain before.
  func oldestLive(in lane: Lane) -> Int32 {
    var unseen = lane.queued + lane.running
    var (slot, oldest) = (lane.last, Int32(0))
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
  mutating func supersedeOlder(than slot: Int32, effects: inout TaskEffects) {
    guard let key = tasks[slot].key else { return }
    supersedeLive(
      from: lanes[key.index].first, in: key, below: tasks[slot].generation, effects: &effects)
  }

  /// Nobody waits for this live task any more: upstream never hears of it, or hears that it is cancelled.
  mutating func abandon(_ slot: Int32, effects: inout TaskEffects) {
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

  private mutating func drain(_ slot: Int32) {
    if tasks[slot].isNotification { liveNotifications -= 1 }
    tasks[slot].state = .draining
    if let key = tasks[slot].key {
      lanes[key.index].countRunning(tasks[slot], -1)
      lanes[key.index].draining += 1
    }
    let grace = UInt64(tasks[slot].drainMilliseconds)
    guard tasks[slot].isCompensated else { return setTimer(.grace, of: slot, after: grace) }
    // What may have to be undone holds up the others until that is known, or nobody can hope for it any more.
    owedCompensations += 1
    setTimer(.orphan, of: slot, after: grace + limits.orphanMilliseconds)
  }

  /// A task that nobody wants any more succeeded. Its undoing is a call of its own: a second answer to the task
  /// must not be taken for the answer to that, hence the new id.
  mutating func compensate(_ slot: Int32, effects: inout TaskEffects) {
    let task = id(of: slot)
    tasks[slot].beginCompensating()
    clearTimer(of: slot)
    setTimer(.orphan, of: slot, after: limits.compensationMilliseconds)
    effects.append(.compensate(task, as: id(of: slot)))
  }

  /// The drain grace is over: the task holds up nobody any more.
  mutating func outliveGrace(_ slot: Int32, effects: inout TaskEffects) {
    clearTimer(of: slot)
    tasks[slot].state = .orphaned
    orphansSoFar += 1
    setTimer(.orphan, of: slot, after: limits.orphanMilliseconds)
    guard let key = tasks[slot].key else { return }
    lanes[key.index].draining -= 1
    lanes[key.index].orphaned += 1
    startReady(in: key, effects: &effects)
  }
}
