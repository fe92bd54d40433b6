package import TaskStore

/// How much there is of what the gateway holds, at one moment.
package struct GatewayGauges: Hashable, Sendable {
  package var connections = 0
  /// Requests that wait for an answer.
  package var requests = 0
  /// Keys with a task.
  package var lanes = 0
  package var tasks = TaskCounts()
  /// Of what tasks that are kept ask.
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

/// One of the upstreams of the configuration, at one moment.
package struct UpstreamGauges: Hashable, Sendable {
  /// Addresses that requests can be sent to at once.
  package var connectedEndpoints = 0
  /// That clients share: what a client has for itself is there only while the client is.
  package var endpoints = 0
  /// Requests that it works on, unwanted ones too.
  package var inFlight = 0
  /// Requests that wait for a connection, or for room.
  package var waiting = 0

  package init() {}

  /// Those of two loops, each of which has connections of its own: an endpoint counts as connected if all have reached it.
  package static func + (one: UpstreamGauges, other: UpstreamGauges) -> UpstreamGauges {
    var sum = one
    sum.connectedEndpoints = min(one.connectedEndpoints, other.connectedEndpoints)
    sum.inFlight += other.inFlight
    sum.waiting += other.waiting
    return sum
  }
}

/// A lane as it is at one moment.
package struct LaneView: Sendable {
  package let namespace: Namespace
  package let key: [UInt8]
  package let counts: TaskCounts
  /// The newest first.
  package let tasks: [TaskSummary]
}
