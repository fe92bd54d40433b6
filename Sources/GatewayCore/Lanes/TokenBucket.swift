/// How often something may happen: a bucket that holds a second's worth of tokens, and is filled as time passes.
struct TokenBucket {
  /// Of tokens; below 0 after something that took more than there were.
  private var thousandths = Self.full
  private var filledMilliseconds: UInt64 = 0

  private static let one = 1_000
  /// More than any bucket holds: what is beyond that is spilled.
  private static let full = Int.max / 2
  /// What takes more than there is may take so many seconds' worth in advance.
  static let advanceSeconds = 10

  /// How long until there is a token again; 0: there is one. In milliseconds.
  /// - Parameter rate: tokens a second; 0: without bound.
  mutating func wait(rate: Int, at nowMilliseconds: UInt64) -> Int {
    guard rate > 0 else { return 0 }
    fill(rate: rate, at: nowMilliseconds)
    let lacking = Self.one - thousandths
    return lacking <= 0 ? 0 : (lacking + rate - 1) / rate
  }

  /// Takes so many tokens, though there may be fewer.
  mutating func take(_ count: Int, rate: Int, at nowMilliseconds: UInt64) {
    guard rate > 0 else { return }
    fill(rate: rate, at: nowMilliseconds)
    thousandths = max(thousandths - count * Self.one, -rate * Self.one * Self.advanceSeconds)
  }

  private mutating func fill(rate: Int, at nowMilliseconds: UInt64) {
    let passed = nowMilliseconds - min(nowMilliseconds, filledMilliseconds)
    filledMilliseconds = nowMilliseconds
    // A full one needs no more than a second, and the deepest advance so many seconds more.
    let seconds = UInt64(Self.advanceSeconds + 1)
    thousandths = min(thousandths + rate * Int(min(passed, seconds * 1_000)), rate * Self.one)
  }
}
