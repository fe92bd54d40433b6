import LibUV

/// Decides when a turn of the loop has worked for long enough on what clients sent.
struct TurnClock {
  /// A clock costs more than a short message: it is looked at once for so many reads, and not for fewer; so many bytes
  /// count as one more.
  static let readsPerLook = 8
  static let bytesPerRead = 8 * 1024
  /// What was left over has one of so many parts of the time that what comes has: longer, and who sends one request
  /// meanwhile waits for it.
  static let leftOverPart: UInt64 = 8

  let limitNanoseconds: UInt64
  private let clock: () -> UInt64
  private var reads = 0
  private var nextLook = TurnClock.readsPerLook
  /// The largest number: it has not been looked at in this turn.
  private var endNanoseconds = UInt64.max
  /// It has been long enough for whoever sends much.
  private(set) var isOver = false
  /// It has been twice as long: whatever comes now waits.
  private(set) var isLongOver = false

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

  @inline(never)
  private mutating func look() {
    nextLook = reads + Self.readsPerLook
    if endNanoseconds == .max { return begin() }
    let now = clock()
    isOver = isOver || now >= endNanoseconds
    isLongOver = now >= endNanoseconds + limitNanoseconds
  }

  private mutating func begin() { endNanoseconds = clock() + limitNanoseconds }

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
