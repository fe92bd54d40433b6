/// Lets one of many like events be logged now and then, and counts those in between.
struct RepeatedWarning {
  static let pauseMilliseconds: UInt64 = 10_000

  private var nextMilliseconds: UInt64 = 0
  private var unsaidCount = 0

  /// How many were not logged since the last one that was; nil: nor is this one.
  mutating func isDue(atMilliseconds now: UInt64) -> Int? {
    guard now >= nextMilliseconds else {
      unsaidCount += 1
      return nil
    }
    nextMilliseconds = now + Self.pauseMilliseconds
    defer { unsaidCount = 0 }
    return unsaidCount
  }
}
