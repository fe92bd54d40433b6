/// Decides what a run of the demo has shown.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case shown
    case staleThroughGateway
    case nothingShown
    /// What was typed last never got its answer on the screen through the gateway.
    case newestMissing
    /// A request got another error than being superseded.
    case failed
  }

  private let left: Screen
  private let right: Screen
  private let leftBusyMilliseconds: Int
  private let rightBusyMilliseconds: Int

  /// - Parameter left: without a gateway; the busy time is that of its upstream.
  /// - Parameter right: through lastword.
  package init(left: Screen, leftBusyMilliseconds: Int, right: Screen, rightBusyMilliseconds: Int) {
    self.left = left
    self.right = right
    self.leftBusyMilliseconds = leftBusyMilliseconds
    self.rightBusyMilliseconds = rightBusyMilliseconds
  }

  package var outcome: Outcome {
    if right.staleAnswers > 0 { return .staleThroughGateway }
    if left.failed + right.failed > 0 { return .failed }
    if !right.showsNewest { return .newestMissing }
    return left.staleAnswers == 0 ? .nothingShown : .shown
  }

  package var exitStatus: Int32 {
    switch outcome {
    case .shown: 0
    case .staleThroughGateway, .newestMissing, .failed: 1
    case .nothingShown: 2
    }
  }

  package var lines: [String] {
    [
      "                                 without a gateway   through lastword",
      row("requests typed", left.queries.count, right.queries.count),
      row("  answered", left.delivered, right.delivered),
      row("  superseded", left.superseded, right.superseded),
      row("    of them dropped late", left.droppedLate, right.droppedLate),
      row("upstream time spent, ms", leftBusyMilliseconds, rightBusyMilliseconds),
      row("stale answers on screen", left.staleAnswers, right.staleAnswers),
      "",
      saving,
    ] + sentences
  }

  private func row(_ name: String, _ left: Int, _ right: Int) -> String {
    name.padded(to: 30) + "\(left)".leftPadded(to: 20) + "\(right)".leftPadded(to: 19)
  }

  private var saving: String {
    let saved = leftBusyMilliseconds - rightBusyMilliseconds
    return saved > 0
      ? "Upstream time not spent: \(saved) of \(leftBusyMilliseconds) ms."
      : "No upstream time was saved."
  }

  /// None wider than a terminal of the usual width.
  private var sentences: [String] {
    switch outcome {
    case .shown:
      ["Without a gateway \(Self.count(left.staleAnswers)) reached the screen; through lastword none."]
    case .staleThroughGateway:
      [
        "FAILED: \(Self.count(right.staleAnswers)) reached the screen through lastword.",
        "That must never happen.",
      ]
    case .nothingShown:
      [
        "FAILED: no stale answer reached the screen without a gateway, so this run",
        "demonstrated nothing: short queries were answered too fast.",
        "Try a directory with more text.",
      ]
    case .newestMissing:
      ["FAILED: what was typed last never got its answer through lastword."]
    case .failed:
      [
        "FAILED: \(left.failed) requests without a gateway and \(right.failed) through lastword got an error."
      ]
    }
  }

  private static func count(_ answers: Int) -> String {
    answers == 1 ? "1 stale answer" : "\(answers) stale answers"
  }
}
