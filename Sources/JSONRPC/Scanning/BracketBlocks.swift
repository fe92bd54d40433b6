import CBlocks

/// Finds the brackets outside strings in a text that is known to be JSON, many bytes at once.
struct BracketBlocks {
  static let byteCount = 64

  /// Every bit, if the last block ended within a string.
  private var inString: UInt64 = 0
  /// The lowest bit, if its last byte escapes the first one of this.
  private var escaping: UInt64 = 0

  /// A bit for each bracket in the next block, which lies behind the last one; none is behind the text's end.
  ///
  /// - Parameter start: before the end of a text, which slack follows.
  @inline(always)
  mutating func next(
    at start: Int, before end: Int, in bytes: Span<UInt8>
  ) -> (opening: UInt64, closing: UInt64) {
    assert(start >= 0 && start &+ Self.byteCount <= bytes.count)
    let found = unsafe bytes.withUnsafeBufferPointer { buffer in
      // Inside the text and its slack, which whoever reads text has asked for.
      unsafe cblocks_structure_in_64(buffer.baseAddress.unsafelyUnwrapped + start)
    }
    var quotes = found.quotes
    if found.backslashes | escaping != 0 { quotes &= ~escaped(by: found.backslashes) }
    var plain = ~inString
    if quotes != 0 {
      plain ^= Self.fromEachToTheNext(quotes)
      inString = 0 &- (~plain &>> 63)
    }
    let count = end &- start
    if count < Self.byteCount { plain &= 1 &<< UInt64(count) &- 1 }
    return (found.opening & plain, found.closing & plain)
  }

  /// From the first of these bits to before the second, from the third to before the fourth, and so on.
  @inline(always)
  private static func fromEachToTheNext(_ bits: UInt64) -> UInt64 {
    var sums = bits
    sums ^= sums &<< 1
    sums ^= sums &<< 2
    sums ^= sums &<< 4
    sums ^= sums &<< 8
    sums ^= sums &<< 16
    return sums ^ sums &<< 32
  }

  /// The bytes behind an unescaped backslash: of a row of backslashes every other one is unescaped.
  private mutating func escaped(by backslashes: UInt64) -> UInt64 {
    let odd: UInt64 = 0xAAAA_AAAA_AAAA_AAAA
    let unescaped = backslashes & ~escaping
    // A row's carry runs through it, and leaves every other place of it marked.
    let marked = ((unescaped &<< 1 | odd) &- unescaped) ^ odd
    let escaped = marked ^ (backslashes | escaping)
    escaping = (marked & backslashes) &>> 63
    return escaped
  }
}
