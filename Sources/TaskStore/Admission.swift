/// What the store needs to know of a request to decide about it.
@usableFromInline
package struct Admission: Hashable, Sendable {
  /// The lane; nil for a task in no lane, which starts at once and which nothing supersedes.
  package var key: TaskKey?
  package var policy = DuplicatePolicy.cancel
  /// One that the policy allows.
  package var join = JoinRule.never
  /// How long the task stays queued at first, in case a newer one takes its place; 0: not at all.
  package var debounceMilliseconds: UInt32 = 0
  /// How long a burst of debounced tasks, each superseding the one before, may put off its start; 0: for ever.
  package var maxWaitMilliseconds: UInt32 = 0
  /// Once its lane has superseded for so long without delivering an answer, `cancel` lets the newest running task
  /// be until it has been answered, and replaces only what is queued; 0: never.
  package var maxStaleMilliseconds: UInt32 = 0
  /// From admission; the caller then gets `deadlineExceeded`. `unlimited`: it waits for ever.
  package var timeoutMilliseconds: UInt32 = 60_000
  /// How long the task, once superseded or cancelled, may hold up those that wait for it.
  package var drainMilliseconds: UInt32 = 5_000
  /// With `wait` and `keepLatest`: it starts when nothing is queued before it, and fewer earlier tasks than so many run
  /// or drain. 1 to `largestMaxRunning`.
  package var maxRunning: UInt8 = 1
  /// Nobody waits for an answer; it ends when it is handed upstream.
  package var isNotification = false
  /// The upstream never answers a cancelled request: the task ends when its cancel is handed over.
  package var endsOnCancel = false
  /// Upstream undoes it when it succeeds although nobody wants it any more; `cancel` then acts as `cancelAndWait`,
  /// or a late undoing could undo what a newer task did.
  package var isCompensated = false
  /// It asks the very same as the newest live task of its lane (same method, byte-equal params).
  package var asksTheSame = false
  /// It has the method of that task; set only where the rule of joining asks for it.
  package var hasTheSameMethod = false
  /// Tasks of a lane with the same number, but 0, ask for the same kind of answer: callers may go from one to the
  /// other. It must be set for a request that follows, and for each that comes to a lane with such a request.
  package var kind: Int32 = 0
  /// When its task is superseded, its caller waits for the newer one if that is of the same kind.
  package var follows = false
  /// Of the running tasks that it supersedes so many were not sent, and end at once although an answer is awaited of
  /// such; to be said where the bound on tasks is reached.
  package var unsentSuperseded: Int32 = 0

  /// A time that never passes.
  @inlinable package static var unlimited: UInt32 { .max }
  /// What is done at each event of a lane grows with it.
  package static let largestMaxRunning: UInt8 = 64

  package init(key: TaskKey?, policy: DuplicatePolicy = .cancel) {
    self.key = key
    self.policy = policy
    join = policy.defaultJoin
  }

  /// The policy by which it is decided.
  var effectivePolicy: DuplicatePolicy { isCompensated && policy == .cancel ? .cancelAndWait : policy }

  /// So many tasks of its lane may run at once. Not of what may be undone: a late undoing could undo what the task
  /// beside it did.
  var effectiveMaxRunning: UInt8 { policy.allowsMaxRunning && !isCompensated ? maxRunning : 1 }

  /// Whether it may join the newest live task of its lane.
  var mayJoin: Bool {
    switch join {
    case .always: !isNotification && hasTheSameMethod
    case .identical: !isNotification && asksTheSame
    case .never: false
    }
  }
}
