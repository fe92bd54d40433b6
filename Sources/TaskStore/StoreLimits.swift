/// The bounds that the store keeps.
package struct StoreLimits: Hashable, Sendable {
  /// The largest bound on tasks. Up to 131,070 all ids are below 2³¹: one less than there are slots of such ids, as
  /// a new task takes its slot before the one it supersedes gives up its own.
  package static let largestTasks = 2_000_000

  package enum Bound: Hashable, Sendable { case tasks, waiters, callers, lane, queue }

  /// Tasks overall: queued, running, draining and orphaned.
  package var tasks = 100_000
  /// Callers that wait for an answer, including those that joined another's task.
  package var waiters = 200_000
  /// Callers that wait for the answer of one task; at least 1.
  package var callersPerTask = 1_024
  /// Live tasks in one lane, queued and running ones, each counted once for each of its callers; at least 1. Callers who
  /// follow to a newer task may be more.
  package var tasksPerLane = 4_096
  /// Queued tasks in one lane; at least 1.
  package var queuePerLane = 64
  /// While so many tasks of a lane drain or are orphaned, none of its tasks starts.
  package var orphansPerLane = 4
  /// How long an orphan is remembered after its drain grace.
  package var orphanMilliseconds: UInt64 = 60_000
  /// How long the answer to a compensation is awaited.
  package var compensationMilliseconds: UInt64 = 60_000

  package init() {}
}
