extension GatewayCore {
  /// Whether there is memory to give back in the turns that follow: all at once would hold up others.
  package var hasPagesToGiveBack: Bool { lanes.holdsForgottenPages }

  /// Gives back what the tables grew to, once there has been little to do for a while: else bursts of requests would
  /// make them shrink and grow anew all the time.
  @inline(__always)
  mutating func giveBackMemory<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    if memoryPlan.dueMilliseconds == .max {
      let hasHeldMuch = memoryPlan.peakBytes > configuration.keptBytes
      if lanes.hasManySlots && lanes.isEmpty || hasHeldMuch && passingByteCount <= configuration.keptBytes {
        planMemory()
      }
    } else if memoryPlan.dueMilliseconds <= nowMilliseconds {
      carryOutMemoryPlan(with: &sink)
    }
  }

  private mutating func planMemory() {
    memoryPlan.dueMilliseconds = nowMilliseconds + configuration.memoryMilliseconds
    memoryPlan.countedGeneration = lanes.countedGeneration
    memoryPlan.peakBytes = 0
  }

  @inline(never)
  private mutating func carryOutMemoryPlan<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    memoryPlan.dueMilliseconds = .max
    guard memoryPlan.peakBytes <= configuration.keptBytes else { return }
    let tasks = lanes.generations(since: memoryPlan.countedGeneration)
    if lanes.isEmpty && tasks <= MemoryPlan.fewTasks {
      lanes.giveBackTables()
      upstreams.giveBackTables()
      edge.giveBackTables()
    } else if lanes.hasManySlots {
      // At the next burst of requests the allocator would fetch it again at once.
      return
    }
    edge.giveBackBlocks()
    upstreams.giveBackBlocks()
    sink.giveBackMemory()
  }
}
