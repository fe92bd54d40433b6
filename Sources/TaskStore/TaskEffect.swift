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
