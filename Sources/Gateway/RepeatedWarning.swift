package import Logging

/// Lets one of many like events be logged now and then, and counts those in between.
package struct RepeatedWarning {
  package static let pauseMilliseconds: UInt64 = 10_000

  private var nextMilliseconds: UInt64 = 0
  private var notLoggedCount = 0

  package init() {}

  /// How many were not logged since the last one that was; nil: nor is this one.
  package mutating func isDue(atMilliseconds now: UInt64) -> Int? {
    guard now >= nextMilliseconds else {
      notLoggedCount += 1
      return nil
    }
    nextMilliseconds = now + Self.pauseMilliseconds
    defer { notLoggedCount = 0 }
    return notLoggedCount
  }

  /// Logs it, and how many were not logged before it, if it is due; returns whether it was.
  @discardableResult
  package mutating func log(
    _ message: Logger.Message, _ metadata: Logger.Metadata = [:], to log: Logger, atMilliseconds now: UInt64
  ) -> Bool {
    guard let notLoggedCount = isDue(atMilliseconds: now) else { return false }
    log.warning(
      message, metadata: metadata.merging(["notLogged": .stringConvertible(notLoggedCount)]) { $1 })
    return true
  }
}
