/// The decimal digits of a number, up to eight of them at once in one word.
@usableFromInline
package struct DecimalDigits {
  /// What is written before `last`; nil: nothing.
  @usableFromInline package let leading: UInt64?
  /// The last digits as text, the first of them lowest in memory.
  @usableFromInline package let last: UInt64
  /// How many those are: all eight behind a leading number.
  @usableFromInline package let lastCount: Int

  @usableFromInline static var wordBound: UInt64 { 100_000_000 }

  @inlinable @inline(__always)
  package init(_ number: UInt64) {
    if number < Self.wordBound {
      let digits = Self.eightDigits(number)
      // Leading zeros are the lowest bytes; one digit is left even of 0.
      let zeros = min(digits.trailingZeroBitCount / 8, 7)
      (leading, lastCount) = (nil, 8 &- zeros)
      last = (Self.text(digits) &>> UInt64(zeros &* 8)).littleEndian
    } else {
      (leading, lastCount) = (number / Self.wordBound, 8)
      last = Self.text(Self.eightDigits(number % Self.wordBound)).littleEndian
    }
  }

  @inlinable @inline(__always)
  static func text(_ digits: UInt64) -> UInt64 { digits | 0x3030_3030_3030_3030 }

  /// A digit in each byte, the first in the lowest: the number is halved into two of four digits, into four of two,
  /// and into eight of one, the parts of each step side by side in the word. The products divide exactly by 100 below
  /// 10,000 and by 10 below 100.
  @inlinable @inline(__always)
  static func eightDigits(_ number: UInt64) -> UInt64 {
    let upper = number / 10_000
    let fours = upper | (number &- upper &* 10_000) &<< 32
    let hundreds = (fours &* 10_486) &>> 20 & 0x0000_007f_0000_007f
    let twos = hundreds | (fours &- hundreds &* 100) &<< 16
    let tens = (twos &* 103) &>> 10 & 0x000f_000f_000f_000f
    return tens | (twos &- tens &* 10) &<< 8
  }
}
