import Testing

@testable import Gateway

/// When a member that does not answer is given up.
@Suite struct AnswerSilenceTests {
  private static let tick: Int64 = 50

  /// What was decided after each tick, and when that changed.
  private func changes(
    of silence: inout AnswerSilence, from start: Int64, to end: Int64, mayAct: Bool
  ) -> [(Int64, AnswerSilence.Verdict)] {
    var changes: [(Int64, AnswerSilence.Verdict)] = []
    for now in stride(from: start, through: end, by: Int(Self.tick)) {
      let verdict = silence.verdict(receivedByteCount: 0, at: now, mayAct: mayAct)
      if changes.last?.1 != verdict { changes.append((now, verdict)) }
    }
    return changes
  }

  @Test func `who says nothing is asked nothing more, and then given up`() {
    var silence = AnswerSilence(at: 0)
    let seen = changes(of: &silence, from: 0, to: 5_000, mayAct: true)
    #expect(seen.map(\.0) == [0, 1_200, 4_000])
    #expect(seen.map(\.1) == [.answers, .pauses, .isOver])
  }

  @Test func `some of what it says counts`() {
    var silence = AnswerSilence(at: 0)
    #expect(silence.verdict(receivedByteCount: 0, at: 3_999, mayAct: true) == .pauses)
    #expect(silence.verdict(receivedByteCount: 1, at: 4_000, mayAct: true) == .answers)
    #expect(silence.verdict(receivedByteCount: 1, at: 7_999, mayAct: true) == .pauses)
    #expect(silence.verdict(receivedByteCount: 1, at: 8_000, mayAct: true) == .isOver)
  }

  /// However long that was, and whenever it ends: others go on a little later than this one.
  @Test(arguments: Array(stride(from: Int64(1_000), through: 12_000, by: 550)))
  func `while this member may not act nobody is given up, and then each has time to answer`(until: Int64) {
    var silence = AnswerSilence(at: 0)
    let still = changes(of: &silence, from: 0, to: until, mayAct: false)
    #expect(still.allSatisfy { $0.1 != .isOver })
    let after = changes(of: &silence, from: until + Self.tick, to: until + 2_750, mayAct: true)
    #expect(after.allSatisfy { $0.1 != .isOver })
    #expect(silence.verdict(receivedByteCount: 0, at: until + 4_000, mayAct: true) == .isOver)
  }
}
