public import HotData

/// One caller's claim on a task's answer: a node in its task's list.
@usableFromInline
struct WaiterRecord: LinkedRecord {
  var task: Int32 = 0
  /// Before the first comes the last, so that both ends are found from one.
  var previous: Int32 = 0
  @usableFromInline var next: Int32 = 0
}
