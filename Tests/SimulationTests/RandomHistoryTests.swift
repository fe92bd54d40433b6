import Glibc
import Testing

/// Random histories over several keys, against the model and the invariants.
@Suite struct RandomHistoryTests {
  @Test func `random histories go as the model says`() {
    let first = setting("LASTWORD_FIRST_SEED", 1)
    let seeds = setting("LASTWORD_SEEDS", 200)
    for seed in first..<first + seeds {
      if let failure = failure(seed: seed, steps: setting("LASTWORD_STEPS", 500)) {
        Issue.record("\(failure)")
        return
      }
    }
  }

  @Test func `a long history goes as the model says, also when slots are used again`() {
    for seed in 1..<6 {
      if let failure = failure(seed: seed, steps: 6_000) { Issue.record("\(failure)") }
    }
  }

  private func failure(seed: Int, steps: Int) -> String? {
    var history = RandomHistory(seed: UInt64(seed))
    guard let complaint = history.run(steps: steps) else { return nil }
    let shrinking = Shrinking(limits: history.limits)
    let shortest = shrinking.shortest(history.events)
    let last = shrinking.replay(shortest).complaint ?? complaint
    return "seed \(seed): " + PastedTest(history: shortest, limits: history.limits, complaint: last).text
  }

  private func setting(_ name: String, _ usual: Int) -> Int {
    // Nothing in this process changes its environment.
    guard let text = unsafe getenv(name) else { return usual }
    return unsafe Int(String(cString: text)) ?? usual
  }
}
