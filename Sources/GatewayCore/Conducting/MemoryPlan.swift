/// When the memory that many tasks, or much output or input, at once took is given back.
struct MemoryPlan {
  /// So many tasks in the meantime are no reason to keep it.
  static let fewTasks: UInt64 = 100

  /// The largest number: there is not much to give back.
  var dueMilliseconds = UInt64.max
  /// What had been counted of tasks when that was said.
  var countedGeneration: UInt64 = 0
  /// The most that was held since then of what is said.
  var peakBytes = 0
}
