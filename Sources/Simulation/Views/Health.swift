/// Whether an endpoint has failed too often in a row, as far as that shows from outside: surely, or maybe.
struct Health {
  /// Failures in a row, at least and at most.
  private(set) var failures = 0
  private(set) var failuresAtMost = 0
  /// It gets nothing until then.
  private(set) var surelySickUntilMilliseconds = 0
  private(set) var maybeSickUntilMilliseconds = 0
  /// It gets one request at a time.
  private(set) var isSurelyOnTrial = false
  private(set) var isMaybeOnTrial = false
  /// The turn of the loop in which something was last heard of it.
  private(set) var turn = 0

  func isMaybeSick(at milliseconds: Int) -> Bool { milliseconds < maybeSickUntilMilliseconds }

  /// - Parameter isSure: the gateway still knew the call.
  mutating func answered(isSure: Bool, turn: Int) {
    self.turn = turn
    failures = 0
    surelySickUntilMilliseconds = 0
    isSurelyOnTrial = false
    guard isSure else { return }
    failuresAtMost = 0
    maybeSickUntilMilliseconds = 0
    isMaybeOnTrial = false
  }

  /// - Parameters:
  ///   - limit: so many failures in a row make it sick.
  ///   - pause: for how long, at least and at most.
  mutating func failed(
    isSure: Bool, limit: Int, pause: ClosedRange<Int>, at milliseconds: Int, turn: Int
  ) {
    self.turn = turn
    let mayHaveBeenSick = isMaybeSick(at: milliseconds)
    if isSure { failures += 1 }
    failuresAtMost += 1
    if isSure && (failures >= limit || isSurelyOnTrial) {
      isSurelyOnTrial = true
      // A pause that has begun is not made longer.
      if !mayHaveBeenSick { surelySickUntilMilliseconds = milliseconds + pause.lowerBound }
    }
    if failuresAtMost >= limit || isMaybeOnTrial {
      isMaybeOnTrial = true
      maybeSickUntilMilliseconds = max(maybeSickUntilMilliseconds, milliseconds + pause.upperBound)
    }
  }
}
