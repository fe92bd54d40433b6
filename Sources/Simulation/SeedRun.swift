package import GatewayCore

/// One seed's history from beginning to end: faults first, then quiescence, in which everything must finish.
package struct SeedRun {
  package let seed: UInt64
  /// How many gateways there were.
  package let members: Int
  package let knobs: Knobs
  package private(set) var history: [Step] = []
  package private(set) var logHash: UInt64 = 0
  package private(set) var coverage = Coverage()
  /// Of each member, as it was in the end.
  package private(set) var counters: [GatewayCounters] = []
  package private(set) var gauges: [GatewayGauges] = []
  /// The events noted for watchers, and how many were left out.
  package private(set) var told = TaskTally()
  /// What is wrong, if anything.
  package private(set) var complaint: String?

  /// Makes up a history of so many steps.
  /// - Parameters:
  ///   - members: how many gateways there are, if not as many as the seed has.
  ///   - watch: who watches, if not as the seed has it.
  package init(seed: UInt64, steps: Int, members: Int? = nil, watch: Watch? = nil) {
    self.seed = seed
    self.members = members ?? ClusterKnobs.memberCount(seed: seed)
    var generator = ClusterGenerator(seed: seed, members: self.members, steps: steps)
    knobs = generator.knobs
    var cluster = Cluster(
      members: self.members, knobs.configurations, seed: seed,
      watchLimitEvents: (watch ?? knobs.watch).limitEvents)
    history.reserveCapacity(steps)
    for _ in 0..<steps {
      let step = generator.next(cluster)
      history.append(step)
      complaint = cluster.apply(step)
      if complaint != nil { break }
    }
    finish(&cluster)
  }

  /// Lets a history happen again, or what is left of it.
  /// - Parameter members: how many gateways there are, if not as many as the seed has.
  package init(seed: UInt64, replaying steps: [Step], members: Int? = nil) {
    self.seed = seed
    self.members = members ?? ClusterKnobs.memberCount(seed: seed)
    knobs = ClusterGenerator(seed: seed, members: self.members, steps: steps.count).knobs
    var cluster = Cluster(
      members: self.members, knobs.configurations, seed: seed, watchLimitEvents: knobs.watch.limitEvents)
    for step in steps {
      history.append(step)
      complaint = cluster.apply(step)
      if complaint != nil { break }
    }
    finish(&cluster)
  }

  private mutating func finish(_ cluster: inout Cluster) {
    if complaint == nil { complaint = cluster.settle() }
    logHash = cluster.logHash
    coverage = cluster.coverage
    (counters, gauges) = (cluster.counters, cluster.gauges)
    told = cluster.told
  }
}
