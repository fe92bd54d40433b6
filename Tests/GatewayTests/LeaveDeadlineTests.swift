import Testing

@testable import Gateway

/// How long a member that leaves waits.
@Suite struct LeaveDeadlineTests {
  private static let beat: Int64 = 500
  /// What a beat that the engine acknowledges is good for.
  private static let acting: Int64 = 3_000
  private static let end: Int64 = 100_000 + 2 * beat

  /// When it gives up, if the engine acknowledges its beats until then.
  private func givesUp(acknowledgedUntil last: Int64) -> Int64 {
    let deadline = LeaveDeadline(at: 0, endMilliseconds: 100_000, beatMilliseconds: Self.beat)
    var now: Int64 = 0
    while let pause = deadline.pause(actsUntil: min(now, last) + Self.acting, at: now) { now += pause }
    return now
  }

  @Test func `as long as the engine is there it waits for what runs`() {
    let late = givesUp(acknowledgedUntil: .max - Self.acting)
    #expect((Self.end..<Self.end + Self.beat).contains(late))
  }

  @Test(arguments: [0, 1, 2_999, 3_000, 50_000] as [Int64])
  func `when the engine goes away it waits no longer than it may act`(last: Int64) {
    let early = givesUp(acknowledgedUntil: last)
    #expect((last + Self.acting...last + Self.acting + Self.beat).contains(early), "\(early)")
  }

  @Test func `where the engine was away before it does not wait`() {
    #expect(givesUp(acknowledgedUntil: -Self.acting) == 0)
  }
}
