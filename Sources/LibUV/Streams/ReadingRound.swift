/// Decides who is read from in a turn of the loop, and how much.
///
/// A round is one turn. If that has no time for all clients that send much, the round goes on in the turns behind it:
/// then each of them is read only a part of its share, and none is read from again before all others have been. Clients
/// that send little are read from in every turn: they need not wait for all that others send.
struct ReadingRound {
  /// A client's share is one of so many parts where a round takes more than one turn.
  static let crowdedPart = 16

  private var number: UInt32 = 1
  /// Whether this round, or the one before, had not time enough in one turn.
  private var isCrowded = false
  private var hasGoneOn = false
  /// There is no time left in this turn.
  private var isOver = false
  /// Somebody has not had its share because of that.
  private var hasPassedOver = false

  /// How much may be read now; 0: that has to wait.
  /// - Parameter shareBytes: what is read of one connection in a round.
  /// - Parameter isClient: it is one of many, all of whom get less where there is little time.
  @inline(__always)
  mutating func room(for had: inout ReadingShare, of shareBytes: Int, isClient: Bool) -> Int {
    if had.round != number { had.begin(number) }
    let limit = isCrowded && isClient ? shareBytes / Self.crowdedPart : shareBytes
    let room = limit - had.byteCount
    guard room > 0 else { return 0 }
    if isOver && isClient && had.sendsMuch {
      hasPassedOver = true
      return 0
    }
    return min(room, EventLoop.readBufferBytes)
  }

  /// Nothing more is read in this turn of clients that send much.
  mutating func endEarly() { isOver = true }

  /// Another turn begins.
  mutating func turnEnded() {
    isOver = false
    if hasPassedOver {
      hasPassedOver = false
      hasGoneOn = true
      isCrowded = true
    } else {
      isCrowded = hasGoneOn
      hasGoneOn = false
      number &+= 1
    }
  }
}

/// What was read of one connection in a round.
struct ReadingShare {
  /// A client whose last read was no longer sends little.
  static let littleBytes = 4 * 1024

  /// Of 2³² rounds: a connection that is silent for that long may have to wait for a turn.
  fileprivate var round: UInt32 = 0
  /// The highest bit is for `sendsMuch`. Of whom nothing was read it is not known yet.
  private var bits = ReadingShare.much

  private static let much: UInt32 = 1 << 31

  fileprivate var byteCount: Int { Int(bits & ~Self.much) }
  /// So it was when it was last read from.
  fileprivate var sendsMuch: Bool { bits & Self.much != 0 }

  fileprivate mutating func begin(_ round: UInt32) {
    self.round = round
    bits &= Self.much
  }

  mutating func spend(_ count: Int) {
    bits = UInt32(truncatingIfNeeded: byteCount &+ count) & ~Self.much
    if count > Self.littleBytes { bits |= Self.much }
  }
}
