/// Bounds how many lines per second are logged from the standard errors of an upstream's children.
package final class LineBudget {
  /// Further lines are only counted.
  static let linesPerSecond = 100

  private var saidCount = 0
  /// When the next second begins, with room for as many lines again.
  private(set) var secondEndMilliseconds: UInt64 = 0

  package init() {}

  /// Returns whether one more line may be logged, and counts it.
  func spend(atMilliseconds now: UInt64) -> Bool {
    if now >= secondEndMilliseconds {
      secondEndMilliseconds = now + 1_000
      saidCount = 0
    }
    guard saidCount < Self.linesPerSecond else { return false }
    saidCount += 1
    return true
  }
}

@available(*, unavailable)
extension LineBudget: Sendable {}
