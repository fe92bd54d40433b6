/// When the memory that many tasks, or much output or input, at once took is given back.
struct MemoryPlan {
  /// So many tasks in the meantime are no reason to keep it.
  static let fewTasks: UInt64 = 100

  /// The largest number: there is not much to give back.
  var dueMilliseconds = UInt64.max
  /// How many tasks had been counted when that was set.
  var countedGeneration: UInt64 = 0
  /// The most bytes that messages took since then.
  var peakBytes = 0
}
