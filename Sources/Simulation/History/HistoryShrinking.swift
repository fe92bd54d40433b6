/// Makes a failing history short: drops whatever it fails without.
package struct HistoryShrinking<Event> {
  /// Lets a history happen: how much of it happened, and what was wrong then, if anything.
  package typealias Replay = ([Event]) -> (happened: [Event], complaint: String?)

  private let replay: Replay
  private let complaint: String
  /// Events of one group may be dropped together.
  private let group: (Event) -> Int
  /// A history that could be shorter is better than none after an hour.
  private var stepsLeft: Int

  package init(
    of complaint: String, mostSteps: Int = 20_000_000, group: @escaping (Event) -> Int = { _ in 0 },
    replay: @escaping Replay
  ) {
    self.replay = replay
    self.group = group
    self.complaint = Self.kind(of: complaint)
    stepsLeft = mostSteps
  }

  /// Drops whole groups, then ever smaller pieces, while what is left still fails in the same way.
  package mutating func shortest(_ failing: [Event]) -> [Event] {
    var history = withoutGroups(failing)
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
      if let failing = failing(shorter) { history = failing } else { start += size }
    }
    return history
  }

  private mutating func withoutGroups(_ history: [Event]) -> [Event] {
    var history = history
    let groups = Set(history.map(group)).sorted()
    for group in groups where groups.count > 1 && stepsLeft > 0 {
      let rest = history.filter { self.group($0) != group }
      history = failing(rest) ?? history
    }
    return history
  }

  /// What of a history happens before it fails in the same way; nil if it does not.
  private mutating func failing(_ history: [Event]) -> [Event]? {
    let (happened, complaint) = replay(history)
    stepsLeft -= happened.count
    return complaint.map(Self.kind) == self.complaint ? happened : nil
  }

  /// What is wrong, whichever request it is about: one failure must not shrink into another.
  private static func kind(of complaint: String) -> String { complaint.filter { !$0.isNumber } }
}

extension HistoryShrinking<Step> {
  /// For a run that failed.
  package init(_ run: SeedRun) {
    let (seed, members) = (run.seed, run.members)
    self.init(of: run.complaint ?? "", group: \.member) { steps in
      let replayed = SeedRun(seed: seed, replaying: steps, members: members)
      return (replayed.history, replayed.complaint)
    }
  }
}
