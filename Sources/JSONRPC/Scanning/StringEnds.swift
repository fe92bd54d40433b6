import CBlocks

/// Finds where one string after the other may end: what cannot just stand in one is marked for many bytes at once, and
/// the marks are used up one by one.
struct StringEnds {
  static let blockByteCount = 64

  /// Where the bytes begin that are marked.
  private var start = 0
  /// A bit for each of those that was not passed yet, and lies in the text.
  private var marks: UInt64 = 0

  /// Where the first of them is behind the opening quote at `quote`; nil when there is none in the text.
  ///
  /// Nothing of the kind stands between the one that was found last and the quote.
  @inline(always)
  mutating func firstSpecial(behind quote: Int, before end: Int, in bytes: Span<UInt8>) -> Int? {
    // The lowest one is the quote itself.
    let behind = marks & (marks &- 1)
    if behind == 0 {
      let first = marks == 0 ? quote &+ 1 : start &+ Self.blockByteCount
      return search(from: first, before: end, in: bytes)
    }
    marks = behind & (behind &- 1)
    return start &+ behind.trailingZeroBitCount
  }

  @inline(always)
  private mutating func search(from first: Int, before end: Int, in bytes: Span<UInt8>) -> Int? {
    start = first
    while start < end {
      let found = Self.marks(at: start, before: end, in: bytes)
      if found != 0 {
        marks = found & (found &- 1)
        return start &+ found.trailingZeroBitCount
      }
      start &+= Self.blockByteCount
    }
    marks = 0
    return nil
  }

  /// The same from `stop` on, which lies in a string, behind what was found last.
  @inline(always)
  mutating func firstSpecial(from stop: Int, before end: Int, in bytes: Span<UInt8>) -> Int? {
    let passed = stop &- start
    let left = passed < Self.blockByteCount ? marks & (~0 &<< UInt64(truncatingIfNeeded: passed)) : 0
    if left == 0 {
      // Not in place, so that both parts can stay in registers otherwise.
      self = Self.searched(from: max(stop, start &+ Self.blockByteCount), before: end, in: bytes)
    } else {
      marks = left
    }
    if marks == 0 { return nil }
    defer { marks &= marks &- 1 }
    return start &+ marks.trailingZeroBitCount
  }

  /// The marks of the first block, from there on, that has any special bytes; nothing if none has.
  @inline(never)
  private static func searched(from first: Int, before end: Int, in bytes: Span<UInt8>) -> StringEnds {
    var ends = StringEnds()
    ends.start = first
    while ends.start < end {
      ends.marks = marks(at: ends.start, before: end, in: bytes)
      if ends.marks != 0 { break }
      ends.start &+= blockByteCount
    }
    return ends
  }

  /// The special bytes of the block that begins there; bytes behind the text's end are not looked at.
  ///
  /// - Parameter start: before the end.
  @inline(always)
  private static func marks(at start: Int, before end: Int, in bytes: Span<UInt8>) -> UInt64 {
    let marks = allMarks(at: start, in: bytes)
    let count = end &- start
    return count < blockByteCount ? marks & (1 &<< UInt64(count) &- 1) : marks
  }

  /// - Parameter start: in a text, which slack follows.
  @inline(always)
  static func allMarks(at start: Int, in bytes: Span<UInt8>) -> UInt64 {
    assert(start >= 0 && start &+ blockByteCount <= bytes.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      // Inside the text and its slack, which whoever reads text has asked for.
      unsafe cblocks_special_in_64(buffer.baseAddress.unsafelyUnwrapped + start)
    }
  }
}
