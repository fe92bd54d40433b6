public import HotData

/// Decides, per key, which tasks run, wait, are cancelled, or have their results dropped.
///
/// Everything that happens is an event: a submission, an answer, a caller that leaves, a timer. Each appends
/// the effects the gateway must carry out, in order, to the list it is given. Time comes in as a number.
@usableFromInline
package struct TaskStore: ~Copyable {
  /// They hold for new requests; tasks that are there keep those of their admission.
  package var limits: StoreLimits {
    didSet { Self.check(limits) }
  }
  @usableFromInline var tasks = RecordTable(empty: TaskRecord())
  @usableFromInline var waiters = RecordTable(empty: WaiterRecord())
  var lanes = RecordArray<Lane>()
  /// Of the lanes that have more than one task.
  var index = LaneIndex()
  /// By waiter: until when it waits.
  @usableFromInline var deadlines = TimerQueue()
  /// By task: what holds it back, or how long it may drain.
  @usableFromInline var timers = TimerQueue()
  /// By task, of those that have a kind.
  var following = RecordArray<Following>()
  /// By caller, for tasks that record it: whether it follows, and what it did so far.
  var followers = RecordArray<Follower>()
  /// By task: which use of the slot is next, where the slots have been given back.
  var reuses = RecordArray<UInt16>()
  private let place = StaysInPlace()
  /// Live tasks that no waiter counts for.
  var liveNotifications = 0
  /// Of all tasks so many are in these states; the others run.
  var queuedTasks = 0
  var drainingTasks = 0
  var orphanedTasks = 0
  /// Draining tasks that are undone, or will have to be if they succeed.
  var owedCompensations = 0
  /// One counter for all keys: a per-key one would restart with its lane, and an old answer could then pass. Where there
  /// are several stores, each counts in steps of their number, so that no two give the same.
  var lastGeneration: UInt64
  let generationStep: UInt64
  /// Where the counter stood, about, when what is at hand began to be counted: its generations are counted from there.
  var generationStart: UInt64 = 0
  /// Of a slot that was never used: each store begins elsewhere, so that no two soon call a task alike.
  var firstReuse: UInt16
  @usableFromInline package internal(set) var nowMilliseconds: UInt64 = 0
  /// Tasks that outlived their drain grace, since the start.
  package internal(set) var orphansSoFar: UInt64 = 0

  /// While fewer slots are free a task gets a fresh one, to keep a slot's uses far apart.
  static let restingTasks = 1024

  /// - Parameters:
  ///   - number: which of the process' stores it is, from 0 on.
  ///   - count: how many there are.
  package init(limits: StoreLimits = StoreLimits(), number: Int = 0, of count: Int = 1) {
    Self.check(limits)
    self.limits = limits
    generationStep = UInt64(count)
    firstReuse = UInt16(number * TaskID.reuseCount / count)
    // The first one gives 1 first.
    lastGeneration = UInt64(number + 1) &- UInt64(count)
  }

  /// The same store once more: a test goes on from here in more than one way.
  package func copy() -> TaskStore {
    var copy = TaskStore(limits: limits, of: Int(generationStep))
    copy.tasks = tasks.copy()
    copy.waiters = waiters.copy()
    copy.lanes = lanes.copy()
    copy.index = index.copy()
    copy.deadlines = deadlines.copy()
    copy.timers = timers.copy()
    copy.reuses = reuses.copy()
    copy.following = following.copy()
    copy.followers = followers.copy()
    (copy.queuedTasks, copy.drainingTasks, copy.orphanedTasks) = (queuedTasks, drainingTasks, orphanedTasks)
    (copy.liveNotifications, copy.owedCompensations) = (liveNotifications, owedCompensations)
    (copy.lastGeneration, copy.nowMilliseconds) = (lastGeneration, nowMilliseconds)
    copy.generationStart = generationStart
    (copy.orphansSoFar, copy.firstReuse) = (orphansSoFar, firstReuse)
    return copy
  }

  private static func check(_ limits: StoreLimits) {
    precondition((1...StoreLimits.largestTasks).contains(limits.tasks), "1...2000000 tasks can be kept apart")
    precondition(limits.tasksPerLane >= 1 && limits.queuePerLane >= 1)
    precondition(limits.orphansPerLane >= 1 && limits.callersPerTask >= 1)
  }

  // MARK: What is there

  /// Tasks queued, running, draining and orphaned.
  @inlinable package var taskCount: Int { tasks.count }
  @inlinable package var waiterCount: Int { waiters.count }
  /// Slots of tasks and waiters that there is memory for, used or not.
  @inlinable package var slotCount: Int { tasks.endSlot + waiters.endSlot }
  @inlinable package var timerCount: Int { deadlines.count + timers.count }
  @inlinable package var isEmpty: Bool { hasNoTasks && waiters.count == 0 }
  /// The same but for waiters whose tasks another store has.
  @inlinable package var hasNoTasks: Bool { tasks.count == 0 && timerCount == 0 }

  /// Whether anybody waits for an answer, or a notification is still to be sent; what drains does not count.
  package var hasLiveTasks: Bool { waiters.count > 0 || liveNotifications > 0 }

  /// Whether nothing is lost if everything stops now: nothing lives, and nothing has to be undone.
  package var isSettled: Bool { !hasLiveTasks && owedCompensations == 0 }

  /// Whether this id names a task that is still known: an answer to any other reaches nobody.
  @inlinable @inline(__always)
  package func knows(_ task: TaskID) -> Bool {
    let slot = task.index
    guard slot > 0, slot < tasks.endSlot, !tasks[slot].isFree else { return false }
    return TaskID(index: slot, reuse: tasks[slot].reuse).rawValue == task.rawValue
  }

  /// Whether somebody still waits for this task (or, for a notification, whether it is still to be sent).
  package func isLive(_ task: TaskID) -> Bool { knows(task) && tasks[task.index].state.isLive }

  /// Whether a result of this task has to be undone: nobody wants it any more.
  package func owesCompensation(_ task: TaskID) -> Bool {
    knows(task) && tasks[task.index].owesCompensation
  }

  /// The lane's newest live task, which a caller may join; notifications cannot be joined.
  package func newestLive(in key: TaskKey) -> TaskID? {
    guard key.slot < lanes.count, lanes[key.index].queued + lanes[key.index].running > 0 else { return nil }
    if lanes[key.index].isIndexed {
      let newest = index[key].requests.last
      return newest == 0 ? nil : id(of: newest)
    }
    let only = lanes[key.index].first
    return tasks[only].isNotification ? nil : id(of: only)
  }

  package func task(of waiter: WaiterID) -> TaskID { id(of: waiters[waiter.index].task) }
  /// The generation that the next admitted request gets.
  package var nextGeneration: UInt64 { lastGeneration &+ generationStep }
  /// Tasks admitted from now on, until another epoch begins, are newer than all of lower epochs: the epoch stands above
  /// the counter.
  /// - Parameter start: where its count begins; from there to `generationCount` there are less than
  ///   `generationsPerEpoch`.
  package mutating func beginGenerations(of epoch: UInt32, from start: UInt64 = 0) {
    let count = generationCount - start
    precondition(count < Self.generationsPerEpoch, "a generation would be of another epoch")
    lastGeneration = UInt64(epoch) << Self.countedBits | count
    generationStart = start
  }

  /// How many have been counted by a store whose generations have epochs: it only grows.
  package var generationCount: UInt64 { generationStart &+ lastGeneration & Self.countedMask }

  /// So many can be counted under one epoch.
  package static var generationsPerEpoch: UInt64 { 1 << countedBits }

  /// Where an epoch that begins now starts to count: so most epochs need no generations beyond the counter's.
  package var startOfEpoch: UInt64 { generationCount & ~(Self.generationsPerEpoch / 2 - 1) }

  /// Counts as if so many more requests had been admitted.
  package mutating func skipGenerations(_ count: UInt64) {
    // What is at hand is said anew before anything is admitted.
    let counted = generationCount &+ count
    generationStart = counted & ~Self.countedMask
    lastGeneration = lastGeneration & ~Self.countedMask | counted & Self.countedMask
  }

  /// The epoch that a generation was counted in.
  package static func epoch(of generation: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: generation >> countedBits)
  }

  /// What the counter says: it only grows, until it begins anew.
  package var countedGeneration: UInt64 { generationCount & Self.countedMask }

  /// How many there have been since one was counted.
  package func generations(since counted: UInt64) -> UInt64 {
    (countedGeneration &- counted) & Self.countedMask
  }

  private static var countedMask: UInt64 { 1 << countedBits - 1 }

  /// Together with an epoch of 20 bits that is a number that JSON's readers do not round.
  private static let countedBits: UInt64 = 33

  package func generation(of task: TaskID) -> UInt64 { tasks[task.index].generation }
  /// That of the last task that used this slot.
  package func generation(inSlot number: Int) -> UInt64 {
    tasks[Int32(truncatingIfNeeded: number)].generation
  }
  /// How long the last task that used this slot may drain once nobody wants it any more.
  package func drainMilliseconds(inSlot number: Int) -> UInt32 {
    tasks[Int32(truncatingIfNeeded: number)].drainMilliseconds
  }
  /// That of the last task that used this slot.
  package func policy(inSlot number: Int) -> DuplicatePolicy {
    tasks[Int32(truncatingIfNeeded: number)].policy
  }
  package func state(of task: TaskID) -> TaskState { tasks[task.index].state }

  // MARK: Waiters of other stores' tasks

  /// Adds a waiter for a task of another store; nil: there are as many waiters as there may be.
  package mutating func addRemoteWaiter() -> WaiterID? {
    guard hasRoom(forWaiters: 1) else { return nil }
    let slot = waiters.take()
    waiters[slot] = WaiterRecord()
    return WaiterID(index: slot)
  }

  /// Whether so many more may wait.
  package func hasRoom(forWaiters count: Int) -> Bool { waiterCount + count <= limits.waiters }

  /// It waits no more.
  package mutating func removeRemoteWaiter(_ waiter: WaiterID) {
    precondition(isRemote(waiter), "its task is here")
    waiters.free(waiter.index)
  }

  package func isRemote(_ waiter: WaiterID) -> Bool { waiters[waiter.index].task == 0 }

  /// Tasks have slots from 1 up to here.
  package var endSlot: Int { tasks.endSlot }

  /// The task that uses this slot at the moment.
  package func task(inSlot number: Int) -> TaskID? {
    guard number > 0, number < tasks.endSlot else { return nil }
    let slot = Int32(truncatingIfNeeded: number)
    return tasks[slot].state == .free ? nil : id(of: slot)
  }

  func id(of slot: Int32) -> TaskID { TaskID(index: slot, reuse: tasks[slot].reuse) }

  // MARK: Events

  /// Upstream answered, or the task was handed over and needs no answer, or was taken back before it was.
  /// - Parameter isError: there is no result: it ends just its own task, whatever the policy.
  package mutating func finished(_ task: TaskID, isError: Bool = false, effects: inout TaskEffects) {
    precondition(knows(task), "finished twice, or never admitted")
    let slot = task.index
    let record = tasks[slot]
    if record.state == .running {
      let hasResult = !isError && !record.isNotification
      if record.policy == .onAnswer && hasResult { supersedeOlder(than: slot, effects: &effects) }
      checkCommit(record)
      forEachWaiter(of: slot) { effects.append(.deliver($0)) }
      if let key = record.key, !record.isNotification { lanes[key.index].becomeFresh() }
    } else {
      precondition(record.state.isOver, "a task was answered that was never started")
      if record.owesCompensation && !isError { return compensate(slot, effects: &effects) }
      effects.append(.drop(task))
    }
    end(slot, effects: &effects)
  }

  /// Some of a running task's answer has come, the first of it or more: what an answer decides it decides as well.
  package mutating func gavePiece(_ task: TaskID, isFirst: Bool, effects: inout TaskEffects) {
    precondition(isLive(task) && state(of: task) == .running, "a piece of what nobody waits for")
    let slot = task.index
    if isFirst && tasks[slot].policy == .onAnswer { supersedeOlder(than: slot, effects: &effects) }
    checkCommit(tasks[slot])
    if tasks[slot].hasKind { following[slot].hasGivenPiece = true }
    guard let key = tasks[slot].key else { return }
    lanes[key.index].becomeFresh()
    // Tasks that it superseded may have held up newer ones.
    if isFirst && tasks[slot].policy == .onAnswer { startReady(in: key, effects: &effects) }
  }

  /// The task ended without an answer: its upstream is gone, or the gateway has to stop.
  package mutating func failed(_ task: TaskID, _ reason: Refusal.Reason, effects: inout TaskEffects) {
    precondition(knows(task), "failed twice, or never admitted")
    refuseAll(task.index, reason, effects: &effects)
    effects.append(.drop(task))
    end(task.index, effects: &effects)
  }

  /// Upstream takes too long for this live task: it is given up as if its callers' deadlines had passed.
  package mutating func expired(
    _ task: TaskID, because reason: Refusal.Reason = .deadlineExceeded, effects: inout TaskEffects
  ) {
    precondition(isLive(task), "expired after its end")
    let key = tasks[task.index].key
    refuseAll(task.index, reason, effects: &effects)
    abandon(task.index, effects: &effects)
    if let key { settle(key, effects: &effects) }
  }

  /// A caller takes its request back (`$/cancelRequest`, `lastword.cancel`).
  package mutating func cancelled(_ waiter: WaiterID, effects: inout TaskEffects) {
    leave(waiter, because: .cancelled, effects: &effects)
  }

  /// Callers take their requests back, all at once: none of what they leave behind starts in between.
  package mutating func cancelled(_ waiters: [WaiterID], effects: inout TaskEffects) {
    leave(waiters, because: .cancelled, effects: &effects)
  }

  /// Callers do not read what they are sent.
  package mutating func unread(_ waiters: [WaiterID], effects: inout TaskEffects) {
    leave(waiters, because: .unread, effects: &effects)
  }

  /// Cancels every live task of a lane, whatever callers it has.
  package mutating func cancelled(in key: TaskKey, effects: inout TaskEffects) {
    becomeIndexed(key)
    endLive(in: key, below: .max, effects: &effects)
    settle(key, effects: &effects)
  }

  /// A newer request of a policy that supersedes has come, and another store will have its task: what it would supersede
  /// here is superseded. In place of its generation, which is larger, stands the next of this store.
  package mutating func superseded(
    in key: TaskKey, by policy: DuplicatePolicy, effects: inout TaskEffects
  ) {
    becomeIndexed(key)
    lastGeneration = nextGeneration
    var older = index[key].requests.first
    while older != 0 {
      var refusal = refusal(.superseded(by: lastGeneration), of: older)
      refusal.policy = policy
      forEachWaiter(of: older) { effects.append(.refuse($0, refusal)) }
      older = index.nextLive(after: older)
    }
    endLive(in: key, below: .max, effects: &effects)
    settle(key, effects: &effects)
  }

  /// Queued tasks must not be sent any more: all of them end at once, and none of what they leave behind starts in
  /// between.
  package mutating func outdated(_ queued: [TaskID], effects: inout TaskEffects) {
    for task in queued { refuseAll(task.index, .contentModified, effects: &effects) }
    abandonAll(queued.map(\.index), effects: &effects)
  }

  /// A connection is gone, with callers and with live notifications that it sent: nobody gets a reply, and none of what
  /// they leave behind starts in between.
  package mutating func disconnected(
    _ waiters: [WaiterID], _ notifications: [TaskID], effects: inout TaskEffects
  ) {
    leave(waiters, notifications, because: nil, effects: &effects)
  }

  /// A caller's connection is gone: it gets no reply.
  package mutating func disconnected(_ waiter: WaiterID, effects: inout TaskEffects) {
    leave(waiter, because: nil, effects: &effects)
  }
}
