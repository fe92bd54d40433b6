import HotData

/// Eight bytes of a text, the first one lowest, so that they can be looked at together.
///
/// What is found in them is marked: the top bit of a byte is set. Borrows run upwards, so that only the first mark
/// is to be trusted.
@usableFromInline
package struct ByteWord: Hashable, Sendable {
  @inlinable package static var byteCount: Int { 8 }

  @usableFromInline package let bits: UInt64

  @inlinable @inline(always)
  package init(bits: UInt64) { self.bits = bits }

  /// - Parameter offset: lies in a text or, by no more than 56 bytes, in the slack after it.
  @inlinable @inline(always)
  package init(at offset: Int, in bytes: Span<UInt8>) {
    assert(offset >= 0 && offset &+ Self.byteCount <= bytes.count)
    // Inside the text and its slack, which whoever reads text has asked for.
    let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    bits = UInt64(littleEndian: loaded)
  }

  /// A text of at most eight bytes. With a literal this costs nothing when the program runs.
  @inlinable @inline(always)
  package init(_ text: StaticString) {
    bits =
      Self.byte(0, of: text) | Self.byte(1, of: text) | Self.byte(2, of: text) | Self.byte(3, of: text)
      | Self.byte(4, of: text) | Self.byte(5, of: text) | Self.byte(6, of: text) | Self.byte(7, of: text)
  }

  @inlinable @inline(always)
  static func byte(_ offset: Int, of text: StaticString) -> UInt64 {
    offset < text.utf8CodeUnitCount ? UInt64(text.byte(at: offset)) &<< UInt64(offset &* 8) : 0
  }

  /// The first `count` bytes, at most eight; NUL instead of the others.
  @inlinable @inline(always)
  package func prefix(_ count: Int) -> ByteWord {
    ByteWord(bits: count >= Self.byteCount ? bits : bits & (1 &<< UInt64(count &* 8) &- 1))
  }

  @inlinable @inline(always)
  package func begins(with text: StaticString) -> Bool {
    prefix(text.utf8CodeUnitCount) == ByteWord(text)
  }
}

extension ByteWord {
  @inlinable static var ones: UInt64 { @inline(always) get { 0x0101_0101_0101_0101 } }
  @inlinable static var topBits: UInt64 { @inline(always) get { 0x8080_8080_8080_8080 } }

  /// How many bytes stand before the first one that is marked.
  @inlinable @inline(always)
  static func byteCount(before marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  @inlinable @inline(always)
  var backslashMarks: UInt64 {
    let turned = bits ^ Self.ones &* 0x5C
    return (turned &- Self.ones) & ~turned & Self.topBits
  }

  /// How many bytes the scalar beyond ASCII has that it begins with; 0 when that is not UTF-8.
  @inline(always)
  var scalarByteCount: Int { UTF8Scalar.byteCount(of: UInt32(truncatingIfNeeded: bits)) }

  /// Has bits set in every byte that is no digit.
  @inline(always)
  private var otherThanDigits: UInt64 {
    // A digit is 0x30 to 0x39: with 0x30 taken off no bit above the lowest four is set, not even with six added.
    let rest = bits ^ Self.ones &* 0x30
    return ((rest &+ Self.ones &* 0x06) | rest) & (Self.ones &* 0xF0)
  }

  /// How many digits it begins with.
  @inline(always)
  var digitCount: Int { Self.byteCount(before: otherThanDigits) }

  /// How many digits follow the decimal point that stands behind so many others; nil if they do not end in the word.
  ///
  /// Nothing is carried out of a point: what is marked behind it is right.
  @inline(always)
  func digitCount(after whole: Int) -> Int? {
    guard whole < Self.byteCount &- 1 else { return nil }
    let behind = otherThanDigits &>> UInt64((whole &+ 1) &* 8)
    return behind == 0 ? nil : Self.byteCount(before: behind)
  }

  /// As a number that lies in memory as the bytes do.
  @inline(always)
  @inlinable var inMemory: UInt64 { bits.littleEndian }

  @inlinable @inline(always)
  func byte(at offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits &>> UInt64(offset &* 8)) }
}
