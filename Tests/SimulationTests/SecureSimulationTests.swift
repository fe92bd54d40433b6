import Simulation
import Testing

/// What clients under TLS do in made-up histories, and that no history depends on how they are encrypted.
@Suite struct SecureSimulationTests {
  /// Histories in which somebody gets through a handshake; none where there is no TLS.
  private static let seeds: [UInt64] = (1...120).filter { seed in
    let rows = SeedRun(seed: seed, steps: 200).coverage.rows
    return rows.contains { $0.name == "and greeted" && $0.count > 0 }
  }

  @Test func `the same seed gives the same log, however it was encrypted`() {
    for seed in Self.seeds {
      let run = SeedRun(seed: seed, steps: 400)
      #expect(run.complaint == nil)
      #expect(SeedRun(seed: seed, steps: 400).logHash == run.logHash)
      #expect(SeedRun(seed: seed, replaying: run.history).logHash == run.logHash)
    }
  }

  @Test func `any part of a history under TLS can happen by itself`() {
    for seed in Self.seeds {
      let run = SeedRun(seed: seed, steps: 400)
      for start in stride(from: 0, to: 400, by: 50) {
        let part = Array(run.history[start...])
        #expect(SeedRun(seed: seed, replaying: part).complaint == nil)
      }
    }
  }

  #if TLS
  @Test func `some seeds have clients under TLS, and most have none`() {
    #expect((2...20).contains(Self.seeds.count), "\(Self.seeds.count) of 120")
  }
  #endif
}
