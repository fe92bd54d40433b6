import Testing

@testable import Gateway

/// When a gateway that was told to stop may do so.
@Suite struct DrainTests {
  private static let deadline: UInt64 = 5_000
  private static let lastWordsOver = deadline + Drain.lastWordsMilliseconds

  private var drain = Drain(deadlineMilliseconds: deadline)

  /// One turn: what it was like, and what is to be done at its end.
  private mutating func expect(
    _ step: Drain.Step, isQuiet: Bool, hasHeard: Bool = false, at now: UInt64 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = drain.turnEnded(isQuiet: isQuiet, hasHeard: hasHeard, nowMilliseconds: now)
    #expect(found == step, sourceLocation: sourceLocation)
  }

  @Test mutating func `where nothing is left to do it looks once more, and stops`() {
    expect(.look, isQuiet: true, hasHeard: true)
    expect(.stop, isQuiet: true)
  }

  @Test mutating func `what came meanwhile is another reason to look`() {
    expect(.look, isQuiet: true)
    expect(.look, isQuiet: true, hasHeard: true)
    expect(.stop, isQuiet: true)
  }

  @Test mutating func `behind new work it looks once more as well`() {
    expect(.look, isQuiet: true)
    expect(.wait, isQuiet: false, hasHeard: true)
    expect(.look, isQuiet: true)
    expect(.stop, isQuiet: true)
  }

  @Test mutating func `clients that never stop sending do not keep it for ever`() {
    for _ in 0..<Drain.mostLooks { expect(.look, isQuiet: true, hasHeard: true) }
    expect(.stop, isQuiet: true, hasHeard: true)
  }

  @Test mutating func `at its deadline it gives up what is left, once, and waits for the last words`() {
    expect(.wait, isQuiet: false, at: Self.deadline - 1)
    #expect(!drain.hasGivenUp)
    expect(.giveUp, isQuiet: false, at: Self.deadline)
    #expect(drain.hasGivenUp && drain.deadlineMilliseconds == Self.lastWordsOver)
    expect(.wait, isQuiet: false, at: Self.lastWordsOver - 1)
    expect(.stop, isQuiet: false, at: Self.lastWordsOver)
  }

  @Test mutating func `when the last words are said it stops before that`() {
    expect(.giveUp, isQuiet: false, at: Self.deadline)
    expect(.look, isQuiet: true, at: Self.deadline)
    expect(.stop, isQuiet: true, at: Self.deadline)
  }
}
