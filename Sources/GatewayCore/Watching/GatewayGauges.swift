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
  /// The number of its namespace: even ones are a listener's, odd ones a connection's own; half of it is which.
  package let namespace: UInt64
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
    gauges.tasks = store.counts
    gauges.payloadBytes = payloads.byteCount
    gauges.heldBytes = heldByteCount
    return gauges
  }

  /// By an upstream's place in the configuration; those that clients have for themselves count for theirs.
  package var upstreamGauges: [UpstreamGauges] {
    var gauges = configuration.upstreams.map { options in
      var gauges = UpstreamGauges()
      gauges.endpoints = options.isPerConnection ? 0 : options.endpoints
      return gauges
    }
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) {
      let place = upstreams[slot].place
      gauges[place].waiting += upstreams[slot].waitingCount
      for session in upstreams[slot].sessions {
        gauges[place].inFlight += sessions[session].inFlight
        if sessions[session].isUsable(at: nowMilliseconds) { gauges[place].connectedEndpoints += 1 }
      }
    }
    return gauges
  }

  /// Tasks that outlived their drain grace, since the start.
  package var orphansSoFar: UInt64 { store.orphansSoFar }

  /// The lanes with the most tasks, the fullest first; of equals the older.
  /// - Parameter taskLimit: so many of the newest tasks of each.
  package func fullestLanes(limit: Int, taskLimit: Int) -> [LaneView] {
    store.fullestLanes(limit: limit).map { key in
      var bytes: [UInt8] = []
      keys.copyBytes(of: key.slot, into: &bytes)
      return LaneView(
        namespace: keys.namespace(of: key.slot), key: bytes, counts: store.counts(in: key),
        tasks: store.newestTasks(in: key, limit: taskLimit))
    }
  }
}
