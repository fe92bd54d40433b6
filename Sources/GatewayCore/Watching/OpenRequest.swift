package import TaskStore

/// An open request as a test sees it.
package struct OpenRequest: Hashable, Sendable {
  package let task: TaskID
  package let generation: UInt64
  package let state: TaskState
}
