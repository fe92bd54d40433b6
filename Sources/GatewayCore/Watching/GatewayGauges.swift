package import TaskStore

/// How much there is of what the gateway holds, at one moment.
package struct GatewayGauges: Hashable, Sendable {
  package var connections = 0
  /// Requests that wait for an answer.
  package var requests = 0
  /// Keys with a task.
  package var lanes = 0
  package var tasks = TaskCounts()
  /// Bytes of the requests that tasks keep.
  package var payloadBytes = 0
  /// That, unread output, half-received input and batches' answers.
  package var heldBytes = 0

  package init() {}

  /// Those of two loops.
  package static func + (one: GatewayGauges, other: GatewayGauges) -> GatewayGauges {
    var sum = one
    sum.connections += other.connections
    sum.requests += other.requests
    sum.lanes += other.lanes
    sum.tasks.queued += other.tasks.queued
    sum.tasks.running += other.tasks.running
    sum.tasks.draining += other.tasks.draining
    sum.tasks.orphaned += other.tasks.orphaned
    sum.payloadBytes += other.payloadBytes
    sum.heldBytes += other.heldBytes
    return sum
  }
}
