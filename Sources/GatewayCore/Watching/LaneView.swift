package import TaskStore

/// A lane as it is at one moment.
package struct LaneView: Sendable {
  package let namespace: Namespace
  package let key: [UInt8]
  package let counts: TaskCounts
  /// The newest first.
  package let tasks: [TaskSummary]
}
