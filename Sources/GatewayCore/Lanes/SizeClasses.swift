/// Counts holders by the power of two of what they hold: so the largest is found without asking all.
struct SizeClasses {
  /// Holders of less are in class 0, and not counted.
  static let leastBytes = 256

  private var counts = [Int](repeating: 0, count: Int.bitWidth)
  /// A bit for each class with somebody in it.
  private var occupied: UInt = 0

  /// Each class but 0 begins at twice as many bytes as the one before.
  static func number(of byteCount: Int) -> Int {
    byteCount < leastBytes ? 0 : Int.bitWidth - byteCount.leadingZeroBitCount
  }

  /// Whether two numbers of bytes may be in different classes; that is cheap to tell.
  @inline(__always)
  static func mayDiffer(_ one: Int, _ other: Int) -> Bool {
    // Of two numbers of the same length the highest bit is in both, and not in what differs.
    one ^ other > one & other | (leastBytes - 1)
  }

  /// The class of the largest holders; -1: none is counted.
  var highest: Int { Int.bitWidth - 1 - occupied.leadingZeroBitCount }

  /// A holder's bytes have become more or less.
  mutating func move(from before: Int, to after: Int) {
    let (old, new) = (Self.number(of: before), Self.number(of: after))
    guard old != new else { return }
    if old > 0 {
      counts[old] -= 1
      if counts[old] == 0 { occupied &= ~(1 << UInt(old)) }
    }
    if new > 0 {
      counts[new] += 1
      occupied |= 1 << UInt(new)
    }
  }
}
