import Simulation
import Testing

/// Made-up histories of the whole gateway, judged from outside; `lastword simulate` runs as many as one likes.
@Suite struct GatewaySimulationTests {
  @Test func `nothing goes wrong, whatever clients, upstream, network and operator do`() {
    for seed in 1...120 as ClosedRange<UInt64> {
      let run = SeedRun(seed: seed, steps: 300)
      guard let complaint = run.complaint else { continue }
      Issue.record("seed \(seed), 300 steps: \(complaint)")
      return
    }
  }

  @Test func `a long history goes no worse than short ones`() {
    let run = SeedRun(seed: 7, steps: 20_000)
    #expect(run.complaint == nil)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the same seed gives the same log, byte for byte`(seed: UInt64) {
    let run = SeedRun(seed: seed, steps: 400)
    #expect(SeedRun(seed: seed, steps: 400).logHash == run.logHash)
    #expect(SeedRun(seed: seed, replaying: run.history).logHash == run.logHash)
    #expect(SeedRun(seed: seed + 4, steps: 400).logHash != run.logHash)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `watching changes nothing of what the gateway does`(seed: UInt64) {
    let run = SeedRun(seed: seed, steps: 400, watch: .nobody)
    #expect(run.complaint == nil && run.told == TaskTally())
    for limitEvents in [0, 1, 20, Watch.unlimitedEvents] {
      let watched = SeedRun(seed: seed, steps: 400, watch: .somebody(limitEvents: limitEvents))
      #expect(watched.complaint == nil && watched.history == run.history)
      #expect(watched.logHash == run.logHash)
      #expect(watched.counters == run.counters && watched.gauges == run.gauges)
    }
  }

  @Test(arguments: [2, 3, 4] as [UInt64])
  func `what finds no place in the journal is counted to the last event`(seed: UInt64) {
    let all = SeedRun(seed: seed, steps: 400, watch: .somebody(limitEvents: Watch.unlimitedEvents)).told
    #expect(all.events > 0 && all.leftOut == 0)
    for limitEvents in [0, 1, 3] {
      let told = SeedRun(seed: seed, steps: 400, watch: .somebody(limitEvents: limitEvents)).told
      #expect(told.events + told.leftOut == all.events && (limitEvents > 0 || told.events == 0))
    }
  }

  @Test func `any part of a history can happen by itself`() {
    let run = SeedRun(seed: 5, steps: 400)
    for start in stride(from: 0, to: 400, by: 50) {
      let part = Array(run.history[start...])
      #expect(SeedRun(seed: 5, replaying: part).complaint == nil)
    }
  }
}
