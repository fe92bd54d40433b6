/// An endpoint's circuit breaker, as far as that shows from outside: surely, or maybe.
struct Health {
  /// Failures in a row, at least and at most.
  private(set) var failures = 0
  private(set) var failuresAtMost = 0
  /// It is open until then: the endpoint gets nothing.
  private(set) var surelyOpenUntilMilliseconds = 0
  private(set) var maybeOpenUntilMilliseconds = 0
  /// It is open or half-open: then the endpoint gets one request at a time.
  private(set) var isSurelyTripped = false
  private(set) var isMaybeTripped = false
  /// The turn of the loop in which something was last heard of it.
  private(set) var turn = 0

  func isMaybeOpen(at milliseconds: Int) -> Bool { milliseconds < maybeOpenUntilMilliseconds }

  /// - Parameter isSure: the gateway still knew the call.
  mutating func answered(isSure: Bool, turn: Int) {
    self.turn = turn
    failures = 0
    surelyOpenUntilMilliseconds = 0
    isSurelyTripped = false
    guard isSure else { return }
    failuresAtMost = 0
    maybeOpenUntilMilliseconds = 0
    isMaybeTripped = false
  }

  /// - Parameters:
  ///   - limit: so many failures in a row open it.
  ///   - pause: for how long, at least and at most.
  mutating func failed(
    isSure: Bool, limit: Int, pause: ClosedRange<Int>, at milliseconds: Int, turn: Int
  ) {
    self.turn = turn
    let mayHaveBeenOpen = isMaybeOpen(at: milliseconds)
    if isSure { failures += 1 }
    failuresAtMost += 1
    if isSure && (failures >= limit || isSurelyTripped) {
      isSurelyTripped = true
      // A pause that has begun is not made longer.
      if !mayHaveBeenOpen { surelyOpenUntilMilliseconds = milliseconds + pause.lowerBound }
    }
    if failuresAtMost >= limit || isMaybeTripped {
      isMaybeTripped = true
      maybeOpenUntilMilliseconds = max(maybeOpenUntilMilliseconds, milliseconds + pause.upperBound)
    }
  }
}
