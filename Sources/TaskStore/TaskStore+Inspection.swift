import HotData

/// What there is to say of one task.
package struct TaskSummary: Hashable, Sendable {
  package let task: TaskID
  package let generation: UInt64
  package let state: TaskState
  package let policy: DuplicatePolicy
  /// Callers that wait for its answer.
  package let waiterCount: Int
}

extension TaskStore {
  package func taskCount(in key: TaskKey) -> Int {
    guard key.slot < lanes.count else { return 0 }
    let lane = lanes[key.index]
    return Int(lane.queued + lane.running) + lane.unsettled
  }

  /// The newest tasks of a lane, newest first.
  package func newestTasks(in key: TaskKey, limit: Int) -> [TaskSummary] {
    guard key.slot < lanes.count else { return [] }
    var summaries: [TaskSummary] = []
    var slot = lanes[key.index].last
    while slot != 0, summaries.count < limit {
      summaries.append(summary(of: slot))
      slot = tasks[slot].previous
    }
    return summaries
  }

  private func summary(of slot: Int32) -> TaskSummary {
    TaskSummary(
      task: id(of: slot), generation: tasks[slot].generation, state: tasks[slot].state,
      policy: tasks[slot].policy, waiterCount: Int(tasks[slot].waiterCount))
  }
}
