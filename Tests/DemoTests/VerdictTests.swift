import Testing

@testable import Demo

@Suite struct VerdictTests {
  let answer = SearchAnswer(files: 1, matches: 1)

  /// Two queries, answered in the given order.
  func screen(answering order: [Int], superseding: [Int] = [], failing: [Int] = []) -> Screen {
    var screen = Screen()
    for number in 0..<2 { _ = screen.sent("\(number)", atMilliseconds: 0) }
    for number in superseding { screen.superseded(number, atMilliseconds: 1) }
    for number in failing { screen.failed(number, atMilliseconds: 1) }
    for number in order { screen.answered(number, answer, atMilliseconds: 2) }
    return screen
  }

  func verdict(_ left: Screen, _ right: Screen) -> Verdict {
    Verdict(left: left, leftBusyMilliseconds: 900, right: right, rightBusyMilliseconds: 200)
  }

  @Test func `a stale answer on the left and none on the right is what is to be shown`() {
    let verdict = verdict(screen(answering: [1, 0]), screen(answering: [1], superseding: [0]))
    #expect(verdict.outcome == .shown)
    #expect(verdict.exitStatus == 0)
    #expect(
      verdict.lines == [
        "                                 without a gateway   through lastword",
        "requests typed                                   2                  2",
        "  answered                                       2                  1",
        "  superseded                                     0                  1",
        "    of them dropped late                         0                  0",
        "upstream time spent, ms                        900                200",
        "stale answers on screen                          1                  0",
        "",
        "Upstream time not spent: 700 of 900 ms.",
        "Without a gateway 1 stale answer reached the screen; through lastword none.",
      ])
  }

  @Test func `a stale answer through lastword is a failure, whatever else there was`() {
    let verdict = verdict(screen(answering: [1, 0]), screen(answering: [1, 0]))
    #expect(verdict.outcome == .staleThroughGateway)
    #expect(verdict.exitStatus == 1)
    #expect(verdict.lines.contains("FAILED: 1 stale answer reached the screen through lastword."))
  }

  @Test func `no stale answer on the left demonstrates nothing`() {
    let verdict = verdict(screen(answering: [0, 1]), screen(answering: [1], superseding: [0]))
    #expect(verdict.outcome == .nothingShown)
    #expect(verdict.exitStatus == 2)
    #expect(verdict.lines.contains { $0.contains("demonstrated nothing") })
  }

  @Test func `a gateway that answers nothing has shown nothing good`() {
    let verdict = verdict(screen(answering: [1, 0]), screen(answering: [], superseding: [0, 1]))
    #expect(verdict.outcome == .newestMissing)
    #expect(verdict.exitStatus == 1)
  }

  @Test func `a request that got another error is a failure`() {
    let verdict = verdict(screen(answering: [1, 0]), screen(answering: [1], failing: [0]))
    #expect(verdict.outcome == .failed)
    #expect(verdict.lines.last == "FAILED: 0 requests without a gateway and 1 through lastword got an error.")
  }

  @Test func `no line is wider than the usual terminal`() {
    let verdicts = [
      verdict(screen(answering: [1, 0]), screen(answering: [1], superseding: [0])),
      verdict(screen(answering: [1, 0]), screen(answering: [1, 0])),
      verdict(screen(answering: [0, 1]), screen(answering: [1], superseding: [0])),
      verdict(screen(answering: [1, 0]), screen(answering: [], superseding: [0, 1])),
      verdict(screen(answering: [1, 0]), screen(answering: [1], failing: [0])),
    ]
    // Counts may have another digit or two.
    for line in verdicts.flatMap(\.lines) { #expect(line.count <= 78, "\(line)") }
  }
}
