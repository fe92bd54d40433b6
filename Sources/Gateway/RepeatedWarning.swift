/// Lets one of many like events be logged now and then, and counts those in between.
package struct RepeatedWarning {
  package static let pauseMilliseconds: UInt64 = 10_000

  private var nextMilliseconds: UInt64 = 0
  private var unsaidCount = 0

  package init() {}

  /// How many were not logged since the last one that was; nil: nor is this one.
  package mutating func isDue(atMilliseconds now: UInt64) -> Int? {
    guard now >= nextMilliseconds else {
      unsaidCount += 1
      return nil
    }
    nextMilliseconds = now + Self.pauseMilliseconds
    defer { unsaidCount = 0 }
    return unsaidCount
  }
}
