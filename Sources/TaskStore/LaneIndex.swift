import HotData

/// Finds the tasks of a lane that an event is about without looking at others: thousands may drain beside them.
///
/// It knows the lanes that have had more than one task at a time; a lone task needs no index. Each of its lists but the
/// last is in the order of admission, as tasks join lanes in that order.
struct LaneIndex: ~Copyable {
  struct Lists: BitwiseCopyable {
    /// Live tasks that somebody waits for.
    fileprivate(set) var requests = TaskList()
    /// Live tasks that nobody waits for.
    fileprivate(set) var notifications = TaskList()
    /// Tasks that hold up others: live and draining ones.
    fileprivate(set) var unended = TaskList()
    /// Queued tasks that only the bound on orphans holds back, in the order in which they became so.
    fileprivate(set) var startable = TaskList()
    /// Callers of live tasks beyond the first of each.
    fileprivate(set) var joined: Int32 = 0
    /// The largest `maxRunning` of any task that was ever added.
    fileprivate(set) var maxRunning: UInt8 = 1
  }

  private var lists = RecordArray<Lists>()
  private var live = TaskLinks()
  private var unended = TaskLinks()
  private var startable = TaskLinks()

  /// The same lists once more.
  func copy() -> LaneIndex {
    var copy = LaneIndex()
    copy.lists = lists.copy()
    copy.live = live.copy()
    copy.unended = unended.copy()
    copy.startable = startable.copy()
    return copy
  }

  subscript(key: TaskKey) -> Lists { lists[key.index] }

  func nextLive(after slot: Int32) -> Int32 { live.next(of: slot) }
  func previousLive(before slot: Int32) -> Int32 { live.previous(of: slot) }
  func nextUnended(after slot: Int32) -> Int32 { unended.next(of: slot) }

  // MARK: Coming and going

  /// A lane is known from now on, with no task so far.
  mutating func begin(_ key: TaskKey) {
    while lists.count <= key.index { lists.append(Lists()) }
    lists[key.index] = Lists()
  }

  /// A live task joins a lane.
  mutating func add(_ slot: Int32, _ task: TaskRecord, in key: TaskKey) {
    if task.isNotification {
      live.append(slot, to: &lists[key.index].notifications)
    } else {
      live.append(slot, to: &lists[key.index].requests)
    }
    unended.append(slot, to: &lists[key.index].unended)
    if task.maxRunning > 1 { lists[key.index].maxRunning = max(lists[key.index].maxRunning, task.maxRunning) }
  }

  /// Adds a draining or orphaned task, the first of its lane in the index.
  mutating func addOver(_ slot: Int32, _ task: TaskRecord, in key: TaskKey) {
    if task.state.holdsUpOthers { unended.append(slot, to: &lists[key.index].unended) }
  }

  /// The lane's live tasks have so many more joined callers beyond one each; or fewer.
  mutating func countJoined(_ change: Int32, in key: TaskKey) { lists[key.index].joined += change }

  mutating func isStartable(_ slot: Int32, in key: TaskKey) {
    startable.append(slot, to: &lists[key.index].startable)
  }

  mutating func hasStarted(_ slot: Int32, _ task: TaskRecord, in key: TaskKey) {
    if task.isStartable { startable.remove(slot, from: &lists[key.index].startable) }
  }

  /// Nobody wants it any more.
  mutating func isOver(_ slot: Int32, _ task: TaskRecord, in key: TaskKey) {
    if task.isNotification {
      live.remove(slot, from: &lists[key.index].notifications)
    } else {
      live.remove(slot, from: &lists[key.index].requests)
    }
  }

  mutating func isOrphaned(_ slot: Int32, in key: TaskKey) {
    unended.remove(slot, from: &lists[key.index].unended)
  }

  /// A task leaves its lane.
  /// - Parameter task: as it was until then.
  mutating func remove(_ slot: Int32, _ task: TaskRecord, in key: TaskKey) {
    if task.state == .queued { hasStarted(slot, task, in: key) }
    if task.state.isLive { isOver(slot, task, in: key) }
    if task.state.holdsUpOthers { isOrphaned(slot, in: key) }
  }

  /// The tasks of a lane that nothing but the bound on orphans holds back.
  func startable(in key: TaskKey) -> [Int32] {
    var slots: [Int32] = []
    var slot = lists[key.index].startable.first
    while slot != 0 {
      slots.append(slot)
      slot = startable.next(of: slot)
    }
    return slots
  }
}
