import Simulation
import Testing

/// Histories of a process with several loops.
@Suite struct LoopsTests {
  @Test(arguments: 0..<4) func `what loops tell each other late changes nothing`(part: UInt64) {
    var (forwarded, pieces, followed) = (0, 0, 0)
    for seed in part * 50 + 1...part * 50 + 50 {
      let run = LoopsRun(seed: seed, steps: 200)
      if let complaint = run.complaint {
        Issue.record("seed \(seed): \(complaint)\n\(run.story.suffix(40).joined(separator: "\n"))")
        return
      }
      forwarded += run.forwardedCount
      pieces += run.pieceCount
      followed += run.followedCount
    }
    // Most of what is asked is another loop's.
    #expect(forwarded > 1_000 && pieces > 300 && followed > 5)
  }

  @Test func `a seed makes the same history each time`() {
    #expect(LoopsRun(seed: 7, steps: 300).forwardedCount == LoopsRun(seed: 7, steps: 300).forwardedCount)
  }
}
