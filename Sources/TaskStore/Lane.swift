/// All tasks of one key, oldest first, with the counts that decide what may start. Empty is the zero value.
struct Lane: BitwiseCopyable {
  var first: Int32 = 0
  var last: Int32 = 0
  /// The one queued `keepLatest` task, or 0.
  var queuedKeepLatest: Int32 = 0
  var queued: Int32 = 0
  var running: Int32 = 0
  var runningEndsOnCancel: Int32 = 0
  var draining: Int32 = 0
  var orphaned: Int32 = 0
  /// Every task of a lower generation was superseded: none of their results may be committed.
  var supersededBelow: UInt64 = 0
  /// Bit 0 says whether the lane is indexed, bit 1 whether it is followed. The others are 0, or 1 more than the time
  /// since when tasks are superseded and no answer is delivered.
  private var marks: UInt64 = 0

  /// Whether the index knows its tasks: from the time on that it had a second one, or a queued one.
  var isIndexed: Bool { marks & 1 == 1 }
  mutating func becomeIndexed() { marks |= 1 }

  /// Whether a caller has come that goes over to the newer task when its own is superseded.
  var isFollowed: Bool { marks & 2 == 2 }
  mutating func becomeFollowed() { marks |= 2 }

  var isStale: Bool { marks > 3 }
  /// Since when, while `isStale`.
  var staleSinceMilliseconds: UInt64 { marks >> 2 &- 1 }
  mutating func becomeStale(at milliseconds: UInt64) { marks = (milliseconds &+ 1) << 2 | marks & 3 }
  mutating func becomeFresh() { marks &= 3 }

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

  /// A task leaves: it is in no count any more, and at neither end.
  @inline(__always)
  mutating func remove(_ task: TaskRecord, at slot: Int32) {
    if task.previous == 0 { first = task.next }
    if task.next == 0 { last = task.previous }
    switch task.state {
    case .free: break
    case .running: countRunning(task, -1)
    case .queued: leaveQueue(slot)
    case .draining: draining -= 1
    case .orphaned: orphaned -= 1
    }
  }

  /// A task of this lane is queued no longer.
  mutating func leaveQueue(_ slot: Int32) {
    queued -= 1
    if queuedKeepLatest == slot { queuedKeepLatest = 0 }
  }
}
