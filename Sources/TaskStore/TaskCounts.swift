/// How many tasks there are of each state.
package struct TaskCounts: Hashable, Sendable {
  package var queued = 0
  package var running = 0
  package var draining = 0
  package var orphaned = 0

  package init() {}

  init(_ lane: Lane) {
    queued = Int(lane.queued)
    running = Int(lane.running)
    draining = Int(lane.draining)
    orphaned = Int(lane.orphaned)
  }

  package var sum: Int { queued + running + draining + orphaned }
  /// By the name of each state.
  package var states: [(name: StaticString, count: Int)] {
    [("queued", queued), ("running", running), ("draining", draining), ("orphaned", orphaned)]
  }

}
