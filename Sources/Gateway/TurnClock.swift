import LibUV

/// Decides when a turn of the loop has worked for long enough on what clients sent.
struct TurnClock {
  /// Reading the clock costs more than a short message, so it is read once in so many reads from clients. So many bytes
  /// count as one more read.
  static let readsPerLook = 8
  static let bytesPerRead = 8 * 1024
  /// What was left over from earlier turns has one part in so many of the time for new input. More would delay clients
  /// that send one request meanwhile.
  static let leftOverPart: UInt64 = 8
  /// Handshakes have one part in so many of that time: clients that are served already should not wait for them.
  static let handshakePart: UInt64 = 4

  private static let fewAnswerBytes = 4 * 1024

  let limitNanoseconds: UInt64
  private let clock: () -> UInt64
  private var reads = 0
  private var nextLook = TurnClock.readsPerLook
  /// The largest number: it has not been looked at in this turn.
  private var endNanoseconds = UInt64.max
  /// The turn has been long enough for clients that send much.
  private(set) var isOver = false
  /// It has been twice as long: whatever comes now waits.
  private(set) var isLongOver = false

  private var hasLookedAgain = false

  /// - Parameter clock: nanoseconds since any time.
  init(limitMicroseconds: UInt64, clock: @escaping () -> UInt64 = { EventLoop.preciseNanoseconds }) {
    limitNanoseconds = limitMicroseconds * 1_000
    self.clock = clock
  }

  /// So much was read, and handled. To be called behind each read.
  @inline(__always)
  mutating func hasRead(_ byteCount: Int) {
    reads += 1 + byteCount / Self.bytesPerRead
    if reads >= nextLook { look() }
  }

  /// Whether it is over, looked at at once: a share of something was handled.
  var isOverNow: Bool {
    mutating get {
      look()
      return isOver
    }
  }

  /// Whether what has come meanwhile is to be read before the turn ends: there was more than one read, and there is time.
  /// To be asked at each end of a turn; after a yes the next answer is no.
  /// - Parameter hasMore: something else is to be done first.
  mutating func looksAgain(unless hasMore: Bool) -> Bool {
    hasLookedAgain = !hasLookedAgain && !hasMore && reads > 1 && !isOverNow
    return hasLookedAgain
  }

  /// A handshake went on, which costs as much as hundreds of messages. Where the time for that is over, the turn is.
  mutating func hasShakenHands() { look(atPart: Self.handshakePart) }

  /// - Parameter part: one of so many of the time is enough.
  @inline(never)
  private mutating func look(atPart part: UInt64 = 1) {
    nextLook = reads + Self.readsPerLook
    if endNanoseconds == .max { return begin() }
    let now = clock()
    isOver = isOver || now + limitNanoseconds - limitNanoseconds / part >= endNanoseconds
    isLongOver = now >= endNanoseconds + limitNanoseconds
  }

  private mutating func begin() { endNanoseconds = clock() + limitNanoseconds }

  /// Whether so many bytes of an upstream's answers need not wait: after the turn's end a few short answers still go
  /// on, as waiting would cost clients that ask little a whole turn.
  func hasTime(forAnswers byteCount: Int) -> Bool {
    !isOver || byteCount <= Self.fewAnswerBytes && !isLongOver
  }

  /// What was left over goes on now: its own part of the time begins.
  mutating func beginLeftOver() { endNanoseconds = clock() + limitNanoseconds / Self.leftOverPart }

  /// What was done is enough for this turn, however long it took.
  mutating func end() { isOver = true }

  var isPast: Bool { clock() >= endNanoseconds }

  /// Another turn.
  mutating func renew() {
    reads = 0
    nextLook = Self.readsPerLook
    endNanoseconds = .max
    isOver = false
    isLongOver = false
  }
}
