import Testing

@testable import Demo

@Suite struct ScreenTests {
  var screen = Screen()
  let answer = SearchAnswer(files: 1, matches: 1)

  init() {
    for (number, text) in ["r", "re", "rea"].enumerated() {
      #expect(screen.sent(text, atMilliseconds: number * 100) == number)
    }
  }

  @Test mutating func `answers in the order of their queries are not stale`() {
    for number in 0..<3 { screen.answered(number, answer, atMilliseconds: 300) }
    #expect(screen.staleAnswers == 0)
    #expect(screen.queries.map(\.state) == [.delivered, .delivered, .delivered])
    #expect(screen.showsNewest)
  }

  @Test mutating func `an answer displayed after that of a newer query is stale`() {
    screen.answered(2, answer, atMilliseconds: 250)
    screen.answered(0, answer, atMilliseconds: 300)
    #expect(screen.staleAnswers == 1)
    #expect(screen.queries.map(\.state) == [.stale, .running, .delivered])
    #expect(screen.shown == Screen.Shown(number: 0, answer: answer, isStale: true))
    #expect(!screen.showsNewest)
  }

  @Test mutating func `it is stale although it is newer than what it replaces`() {
    screen.answered(2, answer, atMilliseconds: 250)
    screen.answered(0, answer, atMilliseconds: 300)
    screen.answered(1, answer, atMilliseconds: 350)
    #expect(screen.staleAnswers == 2)
    #expect(screen.shown?.isStale == true)
  }

  @Test mutating func `an old answer is not stale while no newer one was displayed`() {
    screen.answered(0, answer, atMilliseconds: 300)
    #expect(screen.staleAnswers == 0)
    #expect(!screen.showsNewest)
  }

  @Test mutating func `what was superseded or failed displays nothing`() {
    screen.superseded(0, atMilliseconds: 100)
    screen.failed(1, atMilliseconds: 150)
    #expect(screen.shown == nil)
    #expect(screen.superseded == 1 && screen.failed == 1)
    #expect(!screen.isSettled)
    screen.answered(2, answer, atMilliseconds: 200)
    #expect(screen.isSettled)
  }

  @Test(arguments: [true, false])
  mutating func `an answer of upstream's to a superseded query was dropped late`(upstreamFirst: Bool) {
    if upstreamFirst { screen.upstreamAnswered(0, atMilliseconds: 90) }
    screen.superseded(0, atMilliseconds: 100)
    if !upstreamFirst { screen.upstreamAnswered(0, atMilliseconds: 400) }
    #expect(screen.queries[0].state == .droppedLate)
    #expect(screen.droppedLate == 1 && screen.superseded == 1)
  }

  @Test mutating func `an answer of upstream's to a query that is delivered was not dropped`() {
    screen.upstreamAnswered(0, atMilliseconds: 90)
    screen.answered(0, answer, atMilliseconds: 100)
    #expect(screen.queries[0].state == .delivered)
    #expect(screen.droppedLate == 0)
  }
}
