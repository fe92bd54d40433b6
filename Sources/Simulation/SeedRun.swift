/// One seed's history from beginning to end: faults first, then peace, in which everything must finish.
package struct SeedRun {
  package let seed: UInt64
  package private(set) var history: [Step] = []
  package private(set) var logHash: UInt64 = 0
  package private(set) var coverage = Coverage()
  /// What is wrong, if anything.
  package private(set) var complaint: String?
  package let knobs: Knobs

  /// Makes up a history of so many steps.
  package init(seed: UInt64, steps: Int) {
    var generator = Generator(seed: seed, steps: steps)
    self.seed = seed
    knobs = generator.knobs
    var world = World(knobs.configurations, seed: seed)
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
    var world = World(knobs.configurations, seed: seed)
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
  }
}
