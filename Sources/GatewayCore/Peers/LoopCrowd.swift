/// A loop to which much is on its way, and whose that is, about: nobody may have all of the room.
///
/// What came before there was much is counted for nobody. What the loop has taken is forgotten once it has taken all that
/// was on its way when counting began anew.
struct LoopCrowd {
  /// So much is on its way there, as it was at the end of the last turn.
  private(set) var byteCount: Int
  /// By client: what was sent since counting began anew, and in the time before.
  private var sent: [UInt64: Int] = [:]
  private var sentBefore: [UInt64: Int] = [:]
  /// When it has taken so much, all has been taken that was on its way when counting began anew.
  private var beginsAnewAt: UInt64

  /// - Parameter takenByteCount: what the loop has taken since the start.
  init(byteCount: Int, takenByteCount: UInt64) {
    self.byteCount = byteCount
    beginsAnewAt = takenByteCount &+ UInt64(byteCount)
  }

  mutating func note(byteCount: Int, takenByteCount: UInt64) {
    self.byteCount = byteCount
    guard takenByteCount >= beginsAnewAt else { return }
    (sentBefore, sent) = (sent, [:])
    beginsAnewAt = takenByteCount &+ UInt64(byteCount)
  }

  /// Counts what a client sends, unless more of it is on its way than the room that is left for all. So others always
  /// find room. Returns whether it may be sent.
  mutating func take(_ byteCount: Int, of client: UInt64, within roomBytes: Int) -> Bool {
    guard sent[client, default: 0] + sentBefore[client, default: 0] <= roomBytes else { return false }
    sent[client, default: 0] += byteCount
    return true
  }
}
