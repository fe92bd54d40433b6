import Simulation
import Testing

/// Several gateways with one clock, and a network between them that delays, cuts and loses.
@Suite struct ClusterTests {
  @Test(arguments: [2, 3, 4])
  func `nothing goes wrong, however many members there are`(members: Int) {
    for seed in 1...30 as ClosedRange<UInt64> {
      let run = SeedRun(seed: seed, steps: 400, members: members)
      guard let complaint = run.complaint else { continue }
      Issue.record("seed \(seed), 400 steps, \(members) members: \(complaint)")
      return
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the same seed gives the same log, byte for byte`(seed: UInt64) {
    let run = SeedRun(seed: seed, steps: 400, members: 3)
    #expect(SeedRun(seed: seed, steps: 400, members: 3).logHash == run.logHash)
    #expect(SeedRun(seed: seed, replaying: run.history, members: 3).logHash == run.logHash)
    #expect(SeedRun(seed: seed, steps: 400, members: 2).logHash != run.logHash)
  }

  @Test func `most seeds have one member, and some have several`() {
    let counts = (1...1_000 as ClosedRange<UInt64>).map { ClusterKnobs.memberCount(seed: $0) }
    #expect(Set(counts) == [1, 2, 3, 4])
    #expect(counts.count { $0 == 1 } > 850)
    let seed = UInt64(1 + (counts.firstIndex { $0 > 1 } ?? 0))
    #expect(SeedRun(seed: seed, steps: 10).members == counts[Int(seed) - 1])
  }

  @Test func `any part of a history can happen by itself`() {
    let run = SeedRun(seed: 5, steps: 400, members: 3)
    for start in stride(from: 0, to: 400, by: 50) {
      let part = Array(run.history[start...])
      #expect(SeedRun(seed: 5, replaying: part, members: 3).complaint == nil)
    }
  }

  @Test func `members of which nothing is needed are left out of a history at once`() {
    let history = SeedRun(seed: 3, steps: 300, members: 3).history
    var shrinking = HistoryShrinking<Step>(of: "bad", group: \.member) { steps in
      (steps, steps.contains { $0.member == 1 } ? "bad" : nil)
    }
    let shortest = shrinking.shortest(history)
    #expect(shortest.map(\.member) == [1])
  }

  @Test func `a history tells at which member each step happens`() {
    let history = SeedRun(seed: 3, steps: 300, members: 3).history
    let lines = Narration(history).lines
    for (step, line) in zip(history, lines) where !line.contains(" time passes") && !line.contains(" ms pass")
    {
      #expect(line.contains(". member \(step.member): "))
    }
    #expect(lines.contains { $0.contains(" opens peer link ") })
    #expect(
      Narration(SeedRun(seed: 3, steps: 300, members: 1).history).lines.allSatisfy { !$0.contains("member ") }
    )
  }
}
