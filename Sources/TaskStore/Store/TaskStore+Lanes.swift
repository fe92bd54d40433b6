import HotData

extension TaskStore {
  // MARK: Starting

  /// Starts what can start, oldest first.
  mutating func startReady(in key: TaskKey, effects: inout TaskEffects) {
    guard lanes[key.index].queued > 0, lanes[key.index].unsettled < limits.orphansPerLane else { return }
    startFirstInTurn(in: key, effects: &effects)
    if index[key].maxRunning > 1 { startBesideOthers(in: key, effects: &effects) }
    let startable = index[key].startable
    if startable.isEmpty { return }
    // Mostly the newest, as it superseded the others: there is nothing to sort.
    if startable.first == startable.last { return start(startable.first, in: key, effects: &effects) }
    let slots = index.startable(in: key).sorted { tasks[$0].generation < tasks[$1].generation }
    for slot in slots { start(slot, in: key, effects: &effects) }
  }

  /// Behind a live task nothing starts that waits for others: only the oldest one may.
  private mutating func startFirstInTurn(in key: TaskKey, effects: inout TaskEffects) {
    var walk = LiveWalk(fromOldestOf: index[key])
    guard let oldest = takeOldest(&walk), tasks[oldest].state == .queued, !tasks[oldest].isDebounced else {
      return
    }
    let wait = tasks[oldest].waitsFor
    if wait == .earlierLive || wait.isForEveryEarlier && index[key].unended.first == oldest {
      start(oldest, in: key, effects: &effects)
    }
  }

  /// Where several tasks may run at once: starts tasks at the head of the line that have few enough before them.
  private mutating func startBesideOthers(in key: TaskKey, effects: inout TaskEffects) {
    var (earlier, slot) = (UInt8(0), index[key].unended.first)
    while slot != 0, earlier < index[key].maxRunning {
      if tasks[slot].state == .queued {
        let isInTurn = tasks[slot].waitsFor.isForEveryEarlier && earlier < tasks[slot].maxRunning
        guard !tasks[slot].isDebounced, isInTurn || tasks[slot].waitsFor == .nothing else { return }
        start(slot, in: key, effects: &effects)
      }
      earlier += 1
      slot = index.nextUnended(after: slot)
    }
  }

  /// The worst of what lies before a task in its lane.
  enum Obstacle: Comparable {
    case none, unended, live

    func holdsUp(_ wait: TaskRecord.Wait) -> Bool {
      if wait.isForEveryEarlier { return self != .none }
      return wait == .earlierLive && self == .live
    }
  }

  private mutating func start(_ slot: Int32, in key: TaskKey, effects: inout TaskEffects) {
    lanes[key.index].leaveQueue(slot)
    queuedTasks -= 1
    index.hasStarted(slot, tasks[slot], in: key)
    run(slot, in: key, effects: &effects)
  }

  mutating func run(_ slot: Int32, in key: TaskKey, effects: inout TaskEffects) {
    tasks[slot].state = .running
    lanes[key.index].countRunning(tasks[slot], 1)
    effects.append(.start(id(of: slot)))
  }

  // MARK: Superseding

  /// Ends a lane's live tasks up to a generation, but for one: first every reply, then every cancel.
  /// - Parameter newer: the task that takes their place; 0: none does, and they are cancelled.
  /// - Returns: whether there were any.
  @discardableResult
  mutating func endLive(
    in key: TaskKey, below generation: UInt64, sparing spared: Int32 = 0, by newer: Int32 = 0,
    effects: inout TaskEffects
  ) -> Bool {
    var request = index[key].requests.first
    while request != 0, tasks[request].generation < generation {
      if request != spared { endCallers(of: request, by: newer, effects: &effects) }
      request = index.nextLive(after: request)
    }
    var walk = LiveWalk(fromOldestOf: index[key])
    var hasEnded = false
    while let slot = takeOldest(&walk), tasks[slot].generation < generation {
      guard slot != spared else { continue }
      abandon(slot, effects: &effects)
      hasEnded = true
    }
    return hasEnded
  }

  /// A newer task supersedes a lane's live tasks, but for one.
  mutating func supersedeLive(
    in key: TaskKey, by newer: Int32, sparing spared: Int32 = 0, effects: inout TaskEffects
  ) {
    let generation = tasks[newer].generation
    // With a spared task only what is older than it is superseded for good: its own result may still be delivered.
    let below = spared == 0 ? generation : tasks[spared].generation
    lanes[key.index].supersededBelow = max(lanes[key.index].supersededBelow, below)
    let hasEnded = endLive(in: key, below: generation, sparing: spared, by: newer, effects: &effects)
    if hasEnded { noteSupersession(in: key) }
  }

  /// From the first task superseded after an answer on, the lane is stale.
  mutating func noteSupersession(in key: TaskKey) {
    guard !lanes[key.index].isStale else { return }
    lanes[key.index].becomeStale(at: nowMilliseconds)
  }

  /// The running task that a request lets be although it supersedes the lane's live tasks; 0: none.
  func spared(by request: Admission, in key: TaskKey) -> Int32 {
    guard request.maxStaleMilliseconds > 0, request.effectivePolicy.supersedesAtAdmission,
      lanes[key.index].isStale, lanes[key.index].running > 0,
      nowMilliseconds - lanes[key.index].staleSinceMilliseconds >= UInt64(request.maxStaleMilliseconds)
    else { return 0 }
    var slot = index[key].requests.last
    while slot != 0, tasks[slot].state != .running { slot = index.previousLive(before: slot) }
    return slot
  }

  /// An answer supersedes what is older than its task (`onAnswer`).
  mutating func supersedeOlder(than slot: Int32, effects: inout TaskEffects) {
    guard let key = tasks[slot].key, lanes[key.index].isIndexed else { return }
    supersedeLive(in: key, by: slot, effects: &effects)
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
    drainingTasks += 1
    if let key = tasks[slot].key {
      lanes[key.index].countRunning(tasks[slot], -1)
      lanes[key.index].draining += 1
      if lanes[key.index].isIndexed { index.isOver(slot, tasks[slot], in: key) }
    }
    let grace = UInt64(tasks[slot].drainMilliseconds)
    guard tasks[slot].isCompensated else { return setTimer(.grace, of: slot, after: grace) }
    // A task that may have to be undone holds up the others until that is known, or no answer can be hoped for.
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
    drainingTasks -= 1
    orphanedTasks += 1
    orphansSoFar += 1
    setTimer(.orphan, of: slot, after: limits.orphanMilliseconds)
    guard let key = tasks[slot].key else { return }
    lanes[key.index].draining -= 1
    lanes[key.index].orphaned += 1
    if lanes[key.index].isIndexed { index.isOrphaned(slot, in: key) }
    startReady(in: key, effects: &effects)
  }
}
