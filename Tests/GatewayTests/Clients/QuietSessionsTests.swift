import Testing

@testable import Gateway

/// Which session makes room.
@Suite struct QuietSessionsTests {
  /// Since when sessions are quiet; none: they are not.
  private final class Known {
    var quiet: [String: UInt64] = [:]
    func isStill(_ name: String, _ milliseconds: UInt64) -> Bool { quiet[name] == milliseconds }
  }

  private let known = Known()

  private func add(_ name: String, at milliseconds: UInt64, to sessions: inout QuietSessions) {
    known.quiet[name] = milliseconds
    sessions.add(
      name, since: milliseconds, sessionCount: known.quiet.count, isStill: known.isStill)
  }

  @Test func `the one that has been quiet for longest, and each once`() {
    var sessions = QuietSessions()
    #expect(sessions.popLongest(isStill: known.isStill) == nil)
    for (time, name) in ["a", "b", "c"].enumerated() { add(name, at: UInt64(time), to: &sessions) }
    #expect(sessions.popLongest(isStill: known.isStill) == "a")
    known.quiet["a"] = nil
    #expect(sessions.popLongest(isStill: known.isStill) == "b")
    known.quiet["b"] = nil
    add("d", at: 3, to: &sessions)
    #expect(sessions.popLongest(isStill: known.isStill) == "c")
    known.quiet["c"] = nil
    #expect(sessions.popLongest(isStill: known.isStill) == "d")
    #expect(sessions.popLongest(isStill: known.isStill) == nil)
  }

  @Test func `one that has been busy since then counts from when it became quiet anew`() {
    var sessions = QuietSessions()
    add("a", at: 0, to: &sessions)
    add("b", at: 1, to: &sessions)
    add("a", at: 2, to: &sessions)
    #expect(sessions.popLongest(isStill: known.isStill) == "b")
    #expect(sessions.popLongest(isStill: known.isStill) == "a")
  }

  @Test func `one that is quiet again and again costs no more than a few entries`() {
    var sessions = QuietSessions()
    add("first", at: 0, to: &sessions)
    for time in 1..<10_000 as Range<UInt64> { add("busy", at: time, to: &sessions) }
    #expect(sessions.entryCount < 100)
    #expect(sessions.popLongest(isStill: known.isStill) == "first")
    #expect(sessions.popLongest(isStill: known.isStill) == "busy")
  }
}
