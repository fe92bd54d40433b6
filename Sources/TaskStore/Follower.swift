/// What is known of a caller whose task keeps records of its callers.
struct Follower: BitwiseCopyable {
  var follows = false
  /// What was noted when it began to wait for this task; nil: it waits for its own.
  var followed: (task: TaskID, mark: UInt8)?
}
