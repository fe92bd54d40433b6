/// Why a caller gets an error instead of an answer, and of which task.
package struct Refusal: Hashable, Sendable, BitwiseCopyable {
  package enum Reason: Hashable, Sendable, BitwiseCopyable {
    case superseded(by: UInt64)
    /// It was still queued when a notification came that it must not be sent behind.
    case contentModified
    case cancelled
    case deadlineExceeded
    case upstreamUnavailable
    /// What upstream answered is of no use.
    case badAnswer(BadAnswer)
    case shuttingDown
    /// It does not read the pieces of the answer that it was sent.
    case unread
  }

  /// What is wrong with an answer: it cannot be read, or is beyond a bound.
  package enum BadAnswer: Hashable, Sendable, BitwiseCopyable {
    case unreadable, tooLong, tooDeep
    /// A piece of it is too long, or there are too many.
    case longPiece, manyPieces
  }

  package var reason: Reason
  package var task: TaskID
  package var generation: UInt64
  package var key: TaskKey?
  /// The policy that led to this: of a superseded task that of the newer one, else its own.
  package var policy: DuplicatePolicy
  /// Other callers still wait for the task: upstream hears no cancel.
  package var taskGoesOn = false
  /// Without it an effect would end one byte before a word does, and what it is would be put together from two loads.
  private var filler: UInt8 = 0

  package init(_ reason: Reason, task: TaskID, generation: UInt64, key: TaskKey?, policy: DuplicatePolicy) {
    self.reason = reason
    self.task = task
    self.generation = generation
    self.key = key
    self.policy = policy
  }
}
