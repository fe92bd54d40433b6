/// How far a task has got.
@usableFromInline
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
  /// Whether it has started, and nobody waits for it any more.
  var isOver: Bool { self == .draining || self == .orphaned }
  /// Whether tasks that wait for every earlier one wait for this one.
  var holdsUpOthers: Bool { isLive || self == .draining }
}
