/// Decides when one connection has read its share of a loop turn, so that the others get theirs.
struct TurnBudget {
  private var turn: UInt64 = 0
  private var spentBytes = 0
  /// Set until the end of the turn in which the share was spent.
  private(set) var isSpent = false

  /// Returns whether these bytes were the last of the share.
  mutating func spend(_ count: Int, of limitBytes: Int, in turn: UInt64) -> Bool {
    if turn != self.turn {
      self.turn = turn
      spentBytes = 0
    }
    spentBytes &+= count
    // One more full read would exceed the share.
    isSpent = spentBytes > limitBytes - EventLoop.readBufferBytes
    return isSpent
  }

  mutating func renew() {
    isSpent = false
    spentBytes = 0
  }
}
