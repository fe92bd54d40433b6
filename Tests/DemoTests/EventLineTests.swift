import Testing

@testable import Demo

@Suite struct EventLineTests {
  @Test func `each event is one line that says what it came to`() {
    let scene = TimelineTests.scene()
    let answer = SearchAnswer(files: 7, matches: 9)
    func line(_ event: DemoScene.Event, _ number: Int, _ side: DemoScene.Side) -> String? {
      EventLine.text(event, of: number, on: side, in: scene)
    }
    #expect(
      line(.sent("re", isFirst: true), 0, .direct)
        == "  1200 ms  without a gateway  re                  sent")
    #expect(
      line(.answered(answer), 0, .direct)
        == "  1200 ms  without a gateway  re                  STALE after 1000 ms: 7 files, "
        + "over a newer answer"
    )
    #expect(
      line(.answered(answer), 1, .gateway)
        == "  1200 ms  through lastword   rea                 delivered after 100 ms: 7 files")
    #expect(
      line(.superseded, 0, .gateway)
        == "  1200 ms  through lastword   re                  superseded after 500 ms")
    #expect(
      line(.upstreamAnswered, 0, .gateway)
        == "  1200 ms  through lastword   re                  dropped: upstream answered late")
    #expect(line(.upstreamAnswered, 1, .gateway) == nil)
  }
}
