/// Decides when one connection has read its share of a loop turn, so that the others get theirs.
struct TurnBudget {
  /// The lower half of the turn's number: a share that is not spent after 2³² turns may be taken for this turn's.
  private var turn: UInt32 = 0
  /// Negative once the share is spent.
  private var spentBytes: Int32 = 0

  /// Set until the end of the turn in which the share was spent.
  var isSpent: Bool { spentBytes < 0 }

  /// Returns whether these bytes were the last of the share.
  mutating func spend(_ count: Int, of limitBytes: Int, in turn: UInt64) -> Bool {
    let turn = UInt32(truncatingIfNeeded: turn)
    if turn != self.turn {
      self.turn = turn
      spentBytes = 0
    }
    guard !isSpent else { return true }
    let spent = Int(spentBytes) &+ count
    // One more full read would exceed the share.
    let isSpent = spent > limitBytes - EventLoop.readBufferBytes
    spentBytes = isSpent ? -1 : Int32(truncatingIfNeeded: spent)
    return isSpent
  }

  mutating func renew() {
    spentBytes = 0
  }
}
