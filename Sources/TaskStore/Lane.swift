/// All tasks of one key, oldest first, with the counts that decide what may start. Empty is the zero value.
struct Lane: BitwiseCopyable {
  var first: Int32 = 0
  var last: Int32 = 0
  /// The one queued `keepLatest` task, or 0.
  var queuedKeepLatest: Int32 = 0
  var queued: Int32 = 0
  /// Those of `queued` that start as soon as the orphan bound allows; debounced ones are not among them.
  var queuedWithoutWaiting: Int32 = 0
  /// Those of `queued` that wait for live tasks only, debounced ones aside.
  var queuedBehindLive: Int32 = 0
  var running: Int32 = 0
  var runningEndsOnCancel: Int32 = 0
  var draining: Int32 = 0
  var orphaned: Int32 = 0
  /// Every task of a lower generation was superseded: none of their results may be committed.
  var supersededBelow: UInt64 = 0
  /// One more than when that began that tasks are superseded and no answer is delivered; 0: it is not so.
  private var staleMark: UInt64 = 0

  var isStale: Bool { staleMark != 0 }
  /// Since when, while `isStale`.
  var staleSinceMilliseconds: UInt64 { staleMark &- 1 }
  mutating func becomeStale(at milliseconds: UInt64) { staleMark = milliseconds &+ 1 }
  mutating func becomeFresh() { staleMark = 0 }

  var isEmpty: Bool { first == 0 }
  /// Tasks that upstream still works on although nobody wants them.
  var unsettled: Int { Int(draining + orphaned) }

  /// The first task of an empty lane, which runs at once.
  @inline(__always)
  mutating func begin(with task: TaskRecord, at slot: Int32) {
    (first, last) = (slot, slot)
    countRunning(task, 1)
  }

  // MARK: Counting

  /// A task runs in this lane, or no longer does.
  @inline(__always)
  mutating func countRunning(_ task: TaskRecord, _ change: Int32) {
    running += change
    if task.endsOnCancel { runningEndsOnCancel += change }
  }

  /// A task is queued in this lane, or no longer is.
  mutating func countQueued(_ task: TaskRecord, _ change: Int32) {
    queued += change
    if !task.isDebounced { countStartable(task, change) }
  }

  /// A queued task is held back by nothing but others of the lane, or no longer so.
  mutating func countStartable(_ task: TaskRecord, _ change: Int32) {
    switch task.waitsFor {
    case .nothing: queuedWithoutWaiting += change
    case .earlierLive: queuedBehindLive += change
    case .everyEarlier: break
    }
  }

  /// A task leaves: it is in no count any more, and at neither end.
  @inline(__always)
  mutating func remove(_ task: TaskRecord, at slot: Int32) {
    if task.previous == 0 { first = task.next }
    if task.next == 0 { last = task.previous }
    switch task.state {
    case .free: break
    case .running: countRunning(task, -1)
    case .queued: leaveQueue(task, at: slot)
    case .draining: draining -= 1
    case .orphaned: orphaned -= 1
    }
  }

  mutating func leaveQueue(_ task: TaskRecord, at slot: Int32) {
    countQueued(task, -1)
    if queuedKeepLatest == slot { queuedKeepLatest = 0 }
  }
}
