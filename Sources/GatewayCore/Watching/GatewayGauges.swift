import HotData
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
}

/// A lane as it is at one moment.
package struct LaneView: Sendable {
  package let namespace: Namespace
  package let key: [UInt8]
  package let counts: TaskCounts
  /// The newest first.
  package let tasks: [TaskSummary]
}

extension GatewayCore {
  /// Looks at every task: for those who ask now and then.
  package var gauges: GatewayGauges {
    var gauges = GatewayGauges()
    gauges.connections = clientCount
    gauges.requests = liveRequestCount
    gauges.lanes = keyCount
    gauges.tasks = lanes.taskCounts
    gauges.payloadBytes = lanes.payloadByteCount
    gauges.heldBytes = heldByteCount
    return gauges
  }

  /// By an upstream's place in the configuration; those that clients have for themselves count for theirs.
  package var upstreamGauges: [UpstreamGauges] { upstreams.gauges }

  /// Tasks that outlived their drain grace, since the start.
  package var orphansSoFar: UInt64 { lanes.orphansSoFar }

  /// The lanes with the most tasks, the fullest first; of equals the older.
  /// - Parameter taskLimit: so many of the newest tasks of each.
  package func fullestLanes(limit: Int, taskLimit: Int) -> [LaneView] {
    lanes.fullest(limit: limit, taskLimit: taskLimit)
  }
}
