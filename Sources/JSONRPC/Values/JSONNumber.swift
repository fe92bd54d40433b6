/// Reads numbers that are meant as counts, durations or ids of ours.
@usableFromInline
package enum JSONNumber {
  /// The number at `raw` if it is spelt in plain digits only and fits; no sign, fraction, exponent or
  /// leading zero.
  @inlinable @inline(always)
  package static func nonNegativeInteger(_ raw: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    let start = Int(raw.lower)
    let (wordEnd, end) = (start &+ ByteWord.byteCount, Int(raw.upper))
    guard start < end, end &- wordEnd <= ByteWord.byteCount, max(wordEnd, end) <= bytes.count else {
      return anyInteger(raw, in: bytes)
    }
    let word = ByteWord(at: start, in: bytes)
    if word.byte(at: 0) == UInt8(ascii: "0"), raw.count > 1 { return nil }
    if end <= wordEnd { return word.integer(digitCount: raw.count) }
    // The last eight digits, and those before them.
    guard let high = word.integer(digitCount: end &- wordEnd),
      let low = ByteWord(at: end &- ByteWord.byteCount, in: bytes).integer(digitCount: ByteWord.byteCount)
    else { return nil }
    return high &* 100_000_000 &+ low
  }

  /// The same of a number of any length, or at the very end of the span.
  @usableFromInline @inline(never)
  static func anyInteger(_ raw: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    guard !raw.isEmpty, bytes[Int(raw.lower)] != UInt8(ascii: "0") || raw.count == 1 else { return nil }
    var number: UInt64 = 0
    for index in raw.range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (shifted, shiftOverflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = shifted.addingReportingOverflow(UInt64(digit))
      guard !shiftOverflows, !sumOverflows else { return nil }
      number = sum
    }
    return number
  }
}

extension ByteWord {
  /// The number that its first bytes spell, one at least; nil if not all of them are digits.
  @inlinable @inline(always)
  func integer(digitCount: Int) -> UInt64? {
    // Last in the word, with zeros before them, they are eight.
    let digits = (bits ^ Self.ones &* 0x30) &<< UInt64((Self.byteCount &- digitCount) &* 8)
    guard ((digits &+ Self.ones &* 0x06) | digits) & (Self.ones &* 0xF0) == 0 else { return nil }
    // Neighbours are put together: digits, then pairs, then fours.
    let pairs = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF
  }
}
