import Testing

@testable import Gateway

@Suite struct RepeatedWarningTests {
  @Test func `one is due at first and after each pause, and counts those between`() {
    let pause = RepeatedWarning.pauseMilliseconds
    var warning = RepeatedWarning()
    #expect(warning.isDue(atMilliseconds: 5) == 0)
    #expect(warning.isDue(atMilliseconds: 5) == nil)
    #expect(warning.isDue(atMilliseconds: 4 + pause) == nil)
    #expect(warning.isDue(atMilliseconds: 5 + pause) == 2)
    #expect(warning.isDue(atMilliseconds: 5 + 2 * pause) == 0)
  }
}
