/// Decides how many lines a second are passed on of what an upstream's children write to their standard errors.
package final class LineBudget {
  /// Further ones are only counted.
  static let linesPerSecond = 100

  private var saidCount = 0
  /// When there is room for as many again.
  private(set) var secondEndMilliseconds: UInt64 = 0

  package init() {}

  /// Returns whether a line may be passed on.
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
