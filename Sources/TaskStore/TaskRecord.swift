/// How far a task has got.
package enum TaskState: UInt8, Hashable, Sendable, BitwiseCopyable {
  case free
  /// Not sent upstream yet. It starts, or ends without upstream ever hearing of it.
  case queued
  /// Sent upstream, and somebody waits for the answer.
  case running
  /// Superseded, cancelled or expired while running: its callers have been answered, upstream has not ended yet.
  case draining
  /// Drained for longer than its grace: it holds up nobody, and is forgotten in a while.
  case orphaned

  var isLive: Bool { self == .queued || self == .running }
  /// Whether tasks that wait for every earlier one wait for this one.
  var holdsUpOthers: Bool { isLive || self == .draining }
}

/// One admitted request as the store knows it: a node in its lane's list, oldest first.
struct TaskRecord: BitwiseCopyable {
  /// What of its lane a queued task waits for.
  enum Wait: UInt8, Comparable, BitwiseCopyable {
    case nothing
    /// For the one running task that was spared; what drains is no matter to it.
    case earlierLive
    /// For every earlier task, draining ones too.
    case everyEarlier

    static func < (a: Wait, b: Wait) -> Bool { a.rawValue < b.rawValue }
  }

  var generation: UInt64 = 0
  /// When the first of the debounced tasks arrived that superseded each other, this one the last: the lower half of
  /// the number, which is enough for how long a burst can last.
  var burst: UInt32 = 0
  var drainMilliseconds: UInt32 = 0
  var previous: Int32 = 0
  var next: Int32 = 0
  var firstWaiter: Int32 = 0
  var lastWaiter: Int32 = 0
  var waiterCount: Int32 = 0
  /// What holds it back, or is to happen if it drains for too long; 0: none is set.
  var timer: Int32 = 0
  var key: TaskKey?
  var state = TaskState.free
  var reuse: UInt16 = 0
  var policy = DuplicatePolicy.cancel
  var waitsFor = Wait.nothing
  var isNotification = false
  var endsOnCancel = false
  /// Queued until its timer fires, whatever its policy says.
  var isDebounced = false
  var isCompensated = false
  /// What upstream works on now is not the task but its undoing.
  var isCompensating = false
}

/// One caller's claim on a task's answer: a node in its task's list.
struct WaiterRecord: BitwiseCopyable {
  var task: Int32 = 0
  var previous: Int32 = 0
  var next: Int32 = 0
  var deadline: Int32 = 0
}

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
}
