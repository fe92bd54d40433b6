/// Decides who is read from in a turn of the loop, and how much.
///
/// A round is one turn. If that has no time for all clients that send much, the round goes on in the turns behind it:
/// then each of them is read only a part of its share, and none is read from again before all others have been. Clients
/// that send little are read from in every turn, however long the round is: they need not wait for all that others send,
/// only for each other.
/// Who connects while a round goes on waits for the next: else it would not end while others keep connecting.
/// What is thrown away of all connections together is one connection's share in each turn.
struct ReadingRound {
  /// A client's share is one of so many parts where a round takes more than one turn.
  static let crowdedPart = 16

  private var number: UInt32 = 1
  /// For so many turns this round has gone on: of what are no clients the share is for one turn.
  private var furtherTurns: UInt32 = 0
  /// Nearly always: all have had their shares of the round before, and there is time for those of this one.
  private var isOnFastPath = true
  /// Whether this round, or the one before, had not time enough in one turn.
  private var isCrowded = false
  private var hasGoneOn = false
  /// There is no time left in this turn for clients that send much.
  private var isOver = false
  /// Nor for any other. Who was not read from is ready before all others in the next turn: the kernel keeps the order.
  private var isLongOver = false
  /// Somebody has not had its share because of that.
  private var hasPassedOver = false
  /// So much was read in this turn of what is thrown away.
  private var discardedByteCount = 0

  /// How much may be read now; 0: reading has to wait.
  /// - Parameter shareBytes: a connection's share of a round; one of which more than little is read may get more.
  @inline(__always)
  mutating func room(for had: inout ReadingShare, of shareBytes: Int, _ reader: ByteStream.Reader) -> Int {
    if isOnFastPath, reader != .nobody {
      if had.round != number { had.begin(number, isLate: false) }
      let room = shareBytes - had.byteCount
      if room > ReadingShare.littleBytes { return min(room, EventLoop.readBufferBytes) }
    }
    return roomOnSlowPath(for: &had, of: shareBytes, reader)
  }

  @inline(never)
  private mutating func roomOnSlowPath(
    for had: inout ReadingShare, of shareBytes: Int, _ reader: ByteStream.Reader
  ) -> Int {
    if reader == .nobody { return max(min(shareBytes - discardedByteCount, EventLoop.readBufferBytes), 0) }
    let isClient = reader == .client
    let current = isClient ? number : number &+ furtherTurns
    if had.round != current { had.begin(current, isLate: isClient && hasGoneOn) }
    let limit = isCrowded && isClient ? shareBytes / Self.crowdedPart : shareBytes
    var room = limit - had.byteCount
    if room <= ReadingShare.littleBytes {
      guard room > 0 || isClient && !had.sendsMuch else { return 0 }
      // In less it would not show that it sends much.
      room = ReadingShare.littleBytes + 1
    }
    if isOver && isClient && isPassedOver(had) { return 0 }
    return min(room, EventLoop.readBufferBytes)
  }

  private mutating func isPassedOver(_ client: ReadingShare) -> Bool {
    guard client.sendsMuch else { return isLongOver }
    hasPassedOver = true
    return true
  }

  /// Nothing more is read in this turn of clients that send much.
  mutating func endEarly() { (isOver, isOnFastPath) = (true, false) }

  /// Nothing more is read in this turn of any client.
  mutating func endAtOnce() {
    endEarly()
    isLongOver = true
  }

  /// So much was read, and is thrown away.
  mutating func spendDiscarded(_ count: Int) { discardedByteCount += count }

  /// Another turn begins.
  mutating func turnEnded() {
    discardedByteCount = 0
    if isOnFastPath { number &+= 1 } else { turnEndedOnSlowPath() }
  }

  @inline(never)
  private mutating func turnEndedOnSlowPath() {
    (isOver, isLongOver) = (false, false)
    if hasPassedOver {
      hasPassedOver = false
      hasGoneOn = true
      isCrowded = true
      furtherTurns &+= 1
    } else {
      isCrowded = hasGoneOn
      hasGoneOn = false
      number &+= furtherTurns &+ 1
      furtherTurns = 0
    }
    isOnFastPath = !isCrowded
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
  /// As if more had been read than any share is.
  private static let whole = much - 1

  fileprivate var byteCount: Int { Int(bits & ~Self.much) }
  /// So it was when it was last read from.
  fileprivate var sendsMuch: Bool { bits & Self.much != 0 }

  /// - Parameter isLate: of whom nothing was read before has no share in this round.
  fileprivate mutating func begin(_ round: UInt32, isLate: Bool) {
    bits = isLate && self.round == 0 ? Self.much | Self.whole : bits & Self.much
    self.round = round
  }

  mutating func spend(_ count: Int) {
    bits = UInt32(truncatingIfNeeded: byteCount &+ count) & ~Self.much
    if count > Self.littleBytes { bits |= Self.much }
  }
}
