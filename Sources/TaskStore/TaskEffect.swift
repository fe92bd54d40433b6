package import HotData

/// What the gateway must now do. The effects of one event come in the order replies, cancels, delivery, starts.
package enum TaskEffect: Hashable, Sendable, BitwiseCopyable {
  /// Answer this caller with an error: nothing else will reach it.
  case refuse(WaiterID, Refusal)
  /// This caller's task is superseded, and it waits for the newer one's answer from now on.
  case follow(WaiterID, from: TaskID, to: TaskID)
  /// Tell upstream, once, that nobody wants this task any more.
  case cancel(TaskID)
  /// Forget this task: what upstream may still say of it reaches nobody.
  case drop(TaskID)
  /// Nobody wants this task any more and it succeeded: have upstream undo it, as the task that it is from now on.
  /// The answer at hand and what the task asked say what there is to undo.
  case compensate(TaskID, as: TaskID)
  /// Commit the answer at hand to this caller.
  case deliver(WaiterID)
  /// Send this task upstream.
  case start(TaskID)
  /// The lane holds no task any more: forget its key.
  case retire(TaskKey)
}

/// The effects of one event, in order.
package typealias TaskEffects = RecordArray<TaskEffect>

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

/// What came of a request at the door.
package enum Submission: Hashable, Sendable {
  /// A new task; a notification has no waiter.
  case admitted(TaskID, WaiterID?)
  /// One more caller waits for the answer of a task that was there before.
  case joined(TaskID, WaiterID)
  /// `preferPrevious` met other live work.
  case busy
  /// A bound would be exceeded; nothing was superseded.
  case overloaded(StoreLimits.Bound)
}
