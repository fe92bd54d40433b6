package import GatewayCore

/// One seed's history from beginning to end: faults first, then quiescence, in which everything must finish.
package struct SeedRun {
  package let seed: UInt64
  package private(set) var history: [Step] = []
  package private(set) var logHash: UInt64 = 0
  package private(set) var coverage = Coverage()
  package private(set) var counters = GatewayCounters()
  package private(set) var gauges = GatewayGauges()
  /// What was noted for those who watch, and what found no place.
  package private(set) var told = TaskTally()
  /// What is wrong, if anything.
  package private(set) var complaint: String?
  package let knobs: Knobs

  /// Makes up a history of so many steps.
  /// - Parameter watch: who watches, if not whom the seed has watch.
  package init(seed: UInt64, steps: Int, watch: Watch? = nil) {
    var generator = Generator(seed: seed, steps: steps)
    self.seed = seed
    knobs = generator.knobs
    var world = World(
      knobs.configurations, seed: seed, watchLimitEvents: (watch ?? knobs.watch).limitEvents)
    history.reserveCapacity(steps)
    for _ in 0..<steps {
      let step = generator.next(world)
      history.append(step)
      complaint = world.apply(step)
      if complaint != nil { break }
    }
    finish(&world)
  }

  /// Lets a history happen again, or what is left of it.
  package init(seed: UInt64, replaying steps: [Step]) {
    self.seed = seed
    knobs = Generator(seed: seed, steps: steps.count).knobs
    var world = World(knobs.configurations, seed: seed, watchLimitEvents: knobs.watch.limitEvents)
    for step in steps {
      history.append(step)
      complaint = world.apply(step)
      if complaint != nil { break }
    }
    finish(&world)
  }

  private mutating func finish(_ world: inout World) {
    if complaint == nil { complaint = world.settle() }
    logHash = world.logHash
    coverage = world.oracle.coverage
    (counters, gauges) = (world.core.counters, world.core.gauges)
    if let chronicle = world.chronicle { told = chronicle.tally }
  }
}
