/// What is known of a caller where that of one of its task's callers is.
struct Follower: BitwiseCopyable {
  var follows = false
  /// What was noted of it when it began to wait for this task; nil: it waits for its own.
  var followed: (task: TaskID, mark: UInt8)?
}
