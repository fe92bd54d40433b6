/// Decides which connections are read from in a turn of the loop, and how much.
///
/// A round is one turn. If that has no time for all clients that send much, the round goes on in the turns behind it:
/// then each of them is read only a part of its share, and none is read from again before all others have been. Clients
/// that send little are read from in every turn, however long the round is: they wait only for each other. A client
/// that connects while a round goes on waits for the next round: else the round would not end while clients keep
/// connecting.
/// What is thrown away, of all connections together, is one connection's share in each turn.
struct ReadingRound {
  /// If a round takes more than one turn, a client's share is divided by this.
  static let crowdedPart = 16

  private var number: UInt32 = 1
  /// For how many more turns this round has gone on. Connections that are no clients have a share for each turn.
  private var furtherTurns: UInt32 = 0
  /// True nearly always: all clients had their shares in the round before, and there is time for those of this one.
  private var isOnFastPath = true
  /// Whether this round, or the one before, takes more than one turn.
  private var isCrowded = false
  private var hasGoneOn = false
  /// Whether this turn has no time left for clients that send much.
  private var isOver = false
  /// Whether it has none for any other client, either. A client that was not read from is ready before all others in
  /// the next turn: the kernel keeps the order.
  private var isLongOver = false
  /// Whether a client has not had its share for that reason.
  private var hasPassedOver = false
  /// How many bytes were read in this turn that are thrown away.
  private var discardedByteCount = 0

  /// How many bytes may be read now; 0: reading has to wait.
  /// - Parameter shareBytes: a connection's share of a round, in bytes; a last read may go a little beyond it.
  @inline(__always)
  mutating func room(for had: inout ReadingShare, of shareBytes: Int, _ reader: ByteStream.Reader) -> Int {
    if isOnFastPath {
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
    let isClient = reader == .client
    let current = isClient ? number : number &+ furtherTurns
    if had.round != current { had.begin(current, isLate: isClient && hasGoneOn) }
    let limit = isCrowded && isClient ? shareBytes / Self.crowdedPart : shareBytes
    var room = limit - had.byteCount
    if room <= ReadingShare.littleBytes {
      guard room > 0 || isClient && !had.sendsMuch else { return 0 }
      // A shorter read would not show whether it sends much.
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

  /// Stops reading in this turn from clients that send much.
  mutating func endEarly() { (isOver, isOnFastPath) = (true, false) }

  /// Stops reading in this turn from all clients.
  mutating func endAtOnce() {
    endEarly()
    isLongOver = true
  }

  /// How many bytes may be read now to be thrown away; 0: reading has to wait.
  func roomForNobody(of shareBytes: Int) -> Int {
    max(min(shareBytes - discardedByteCount, EventLoop.readBufferBytes), 0)
  }

  /// Counts bytes that were read and are thrown away.
  mutating func spendDiscarded(_ count: Int) {
    discardedByteCount += count
    isOnFastPath = false
  }

  /// Another turn begins.
  mutating func turnEnded() {
    if isOnFastPath { number &+= 1 } else { turnEndedOnSlowPath() }
  }

  @inline(never)
  private mutating func turnEndedOnSlowPath() {
    (isOver, isLongOver) = (false, false)
    discardedByteCount = 0
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
  /// A client whose last read had at most so many bytes sends little.
  static let littleBytes = 4 * 1024

  /// The round of its last read, modulo 2³²: a connection that is silent for exactly that many rounds may have to wait
  /// for a turn.
  fileprivate var round: UInt32 = 0
  /// The bytes read in that round; the highest bit is `sendsMuch`, which is set until the first read shows otherwise.
  private var bits = ReadingShare.much

  private static let much: UInt32 = 1 << 31
  /// More than any share: nothing more is read in this round.
  private static let whole = much - 1

  fileprivate var byteCount: Int { Int(bits & ~Self.much) }
  /// Whether it sent much when it was last read from.
  fileprivate var sendsMuch: Bool { bits & Self.much != 0 }

  /// - Parameter isLate: a connection that was never read from gets no share in this round.
  fileprivate mutating func begin(_ round: UInt32, isLate: Bool) {
    bits = isLate && self.round == 0 ? Self.much | Self.whole : bits & Self.much
    self.round = round
  }

  mutating func spend(_ count: Int) {
    bits = UInt32(truncatingIfNeeded: byteCount &+ count) & ~Self.much
    if count > Self.littleBytes { bits |= Self.much }
  }
}
