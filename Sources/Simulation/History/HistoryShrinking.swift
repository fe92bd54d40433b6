/// Makes a failing history short: drops whatever it fails without.
package struct HistoryShrinking<Event> {
  /// Lets a history happen: how much of it happened, and what was wrong then, if anything.
  package typealias Replay = ([Event]) -> (happened: [Event], complaint: String?)

  private let replay: Replay
  private let complaint: String
  /// A history that could be shorter is better than none after an hour.
  private var stepsLeft: Int

  package init(of complaint: String, mostSteps: Int = 20_000_000, replay: @escaping Replay) {
    self.replay = replay
    self.complaint = Self.kind(of: complaint)
    stepsLeft = mostSteps
  }

  /// Drops ever smaller pieces while what is left still fails in the same way.
  package mutating func shortest(_ failing: [Event]) -> [Event] {
    var history = failing
    var size = history.count / 2
    while size > 0, stepsLeft > 0 {
      let before = history.count
      history = withoutPieces(of: size, history)
      if size > 1 || history.count == before { size /= 2 }
    }
    return history
  }

  private mutating func withoutPieces(of size: Int, _ history: [Event]) -> [Event] {
    var history = history
    var start = 0
    while start < history.count, stepsLeft > 0 {
      var shorter = history
      shorter.removeSubrange(start..<min(start + size, history.count))
      let (happened, complaint) = replay(shorter)
      stepsLeft -= happened.count
      if let complaint, Self.kind(of: complaint) == self.complaint {
        history = happened
      } else {
        start += size
      }
    }
    return history
  }

  /// What is wrong, whichever request it is about: one failure must not shrink into another.
  private static func kind(of complaint: String) -> String { complaint.filter { !$0.isNumber } }
}

extension HistoryShrinking<Step> {
  /// For a run that failed.
  package init(_ run: SeedRun) {
    let seed = run.seed
    self.init(of: run.complaint ?? "") { steps in
      let replayed = SeedRun(seed: seed, replaying: steps)
      return (replayed.history, replayed.complaint)
    }
  }
}
