/// What there is to say of one task.
package struct TaskSummary: Hashable, Sendable {
  package let task: TaskID
  package let generation: UInt64
  package let state: TaskState
  package let policy: DuplicatePolicy
  /// Callers that wait for its answer.
  package let waiterCount: Int
}
