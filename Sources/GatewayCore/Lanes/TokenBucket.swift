/// How often something may happen: so many tokens a second, and no more at once than those of a second.
struct TokenBucket {
  /// Tokens a second; 0: without bound. A lower one, or none, forgives what could not have been taken under it.
  var rate: Int { didSet { taken = min(taken, mostTaken) } }
  /// Tokens that were taken and have not come back, in thousandths.
  private var taken = 0
  private var refilledMilliseconds: UInt64 = 0

  init(rate: Int = 0) { self.rate = rate }

  private static let one = 1_000
  /// A request that needs more tokens than there are takes so many seconds' worth in advance at most.
  static let advanceSeconds = 10

  /// How long until there is a token again; 0: there is one. In milliseconds.
  mutating func wait(at nowMilliseconds: UInt64) -> Int {
    guard rate > 0 else { return 0 }
    refill(at: nowMilliseconds)
    let lacking = taken + Self.one - rate * Self.one
    return lacking <= 0 ? 0 : min((lacking + rate - 1) / rate, Self.longestWait)
  }

  /// Takes so many tokens, though there may be fewer.
  mutating func take(_ count: Int, at nowMilliseconds: UInt64) {
    guard rate > 0 else { return }
    refill(at: nowMilliseconds)
    taken = min(taken + count * Self.one, mostTaken)
  }

  private var mostTaken: Int { rate * Self.one * (1 + Self.advanceSeconds) }

  /// After so long whatever was taken has come back, if the rate was the same all the time.
  private static let longestWait = (1 + advanceSeconds) * 1_000

  private mutating func refill(at nowMilliseconds: UInt64) {
    let passed = nowMilliseconds - min(nowMilliseconds, refilledMilliseconds)
    refilledMilliseconds = nowMilliseconds
    taken = max(0, taken - rate * Int(min(passed, UInt64(Self.longestWait))))
  }
}
