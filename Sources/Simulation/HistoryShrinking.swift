/// Makes a failing history short: drops whatever it fails without.
package struct HistoryShrinking {
  private let seed: UInt64
  private let complaint: String
  /// A history that could be shorter is better than none after an hour.
  private var stepsLeft: Int

  package init(_ run: SeedRun, mostSteps: Int = 20_000_000) {
    seed = run.seed
    complaint = Self.kind(of: run.complaint)
    stepsLeft = mostSteps
  }

  /// Drops ever smaller pieces while what is left still fails.
  package mutating func shortest(_ failing: [Step]) -> [Step] {
    var history = failing
    var size = history.count / 2
    while size > 0, stepsLeft > 0 {
      let before = history.count
      history = withoutPieces(of: size, history)
      if size > 1 || history.count == before { size /= 2 }
    }
    return history
  }

  /// What is wrong, whichever request it is about: one failure must not shrink into another.
  private static func kind(of complaint: String?) -> String {
    String(complaint?.filter { !$0.isNumber } ?? "")
  }

  private mutating func withoutPieces(of size: Int, _ history: [Step]) -> [Step] {
    var history = history
    var start = 0
    while start < history.count, stepsLeft > 0 {
      var shorter = history
      shorter.removeSubrange(start..<min(start + size, history.count))
      let run = SeedRun(seed: seed, replaying: shorter)
      stepsLeft -= run.history.count
      if Self.kind(of: run.complaint) == complaint { history = run.history } else { start += size }
    }
    return history
  }
}
