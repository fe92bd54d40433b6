import HotData

extension TaskStore {
  /// Of all tasks.
  package var counts: TaskCounts {
    var counts = TaskCounts()
    (counts.queued, counts.draining, counts.orphaned) = (queuedTasks, drainingTasks, orphanedTasks)
    counts.running = taskCount - queuedTasks - drainingTasks - orphanedTasks
    return counts
  }

  package func counts(in key: TaskKey) -> TaskCounts {
    key.slot < lanes.count ? TaskCounts(lanes[key.index]) : TaskCounts()
  }

  /// The lanes with the most tasks, the fullest first; of equals the one of the lower number. Looks at each.
  package func fullestLanes(limit: Int) -> [TaskKey] {
    var fullest: [(key: TaskKey, count: Int)] = []
    for index in 0..<Int32(truncatingIfNeeded: lanes.count) where !lanes[index].isEmpty {
      let count = TaskCounts(lanes[index]).sum
      if fullest.count == limit {
        guard let least = fullest.last, least.count < count else { continue }
        fullest.removeLast()
      }
      let place = fullest.firstIndex { $0.count < count } ?? fullest.count
      fullest.insert((TaskKey(index: index), count), at: place)
    }
    return fullest.map(\.key)
  }

  package func taskCount(in key: TaskKey) -> Int {
    counts(in: key).sum
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
