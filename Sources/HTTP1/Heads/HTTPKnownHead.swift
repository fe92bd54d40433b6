/// A head that was read once, by the book: another one that differs from it in its `Content-Length` only means the same,
/// and is known at sight.
package struct HTTPKnownHead: Sendable {
  private static let name = Array("content-length: ".utf8)
  /// No longer length is taken.
  private static let digitLimit = 8

  /// What stands before the digits of the length, and behind them.
  private let before: [UInt8]
  private let after: [UInt8]

  /// Nil if the length is not said as nearly all say it, or if it is longer than is worth to be kept.
  ///
  /// - Parameters:
  ///   - range: all of the head, which has been read and has a content of a length, in `bytes`.
  ///   - limitBytes: more are not kept.
  package init?(_ range: Range<Int>, of bytes: Span<UInt8>, limitBytes: Int) {
    guard range.count <= limitBytes, let digits = Self.digits(range, of: bytes) else { return nil }
    before = Self.copy(range.lowerBound..<digits.lowerBound, of: bytes)
    after = Self.copy(digits.upperBound..<range.upperBound, of: bytes)
  }

  package var byteCount: Int { before.count + after.count }

  /// Where the content lies if such a head is at `offset`, and all of its content, of a byte or more, has come.
  ///
  /// - Parameters:
  ///   - count: how many of the bytes there are.
  ///   - limitBytes: a longer content is none of it.
  package func content(
    in bytes: Span<UInt8>, count: Int, at offset: Int, limitBytes: Int
  ) -> Range<Int>? {
    guard offset >= 0, Self.holds(before.span, in: bytes, count, at: offset) else { return nil }
    let digits = offset + before.count
    var (place, length) = (digits, 0)
    while place < count, place - digits < Self.digitLimit, HTTPText.isDigit(bytes[place]) {
      length = length * 10 + Int(bytes[place] & 0x0F)
      place += 1
    }
    guard length > 0, length <= limitBytes, Self.holds(after.span, in: bytes, count, at: place) else {
      return nil
    }
    let start = place + after.count
    return length <= count - start ? start..<start + length : nil
  }

  private static func holds(
    _ expected: Span<UInt8>, in bytes: Span<UInt8>, _ count: Int, at offset: Int
  ) -> Bool {
    guard expected.count <= count - offset else { return false }
    let found = bytes.extracting(offset..<offset + expected.count)
    var index = 0
    // Both have eight bytes there.
    while index <= expected.count - 8 {
      let one = unsafe found.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      let other = unsafe expected.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      guard one == other else { return false }
      index += 8
    }
    while index < expected.count {
      guard found[index] == expected[index] else { return false }
      index += 1
    }
    return true
  }

  /// Where the length stands.
  private static func digits(_ range: Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    var start = range.lowerBound
    while start + name.count < range.upperBound {
      if isName(at: start, in: bytes) {
        let first = start + name.count
        var end = first
        while end < range.upperBound, HTTPText.isDigit(bytes[end]) { end += 1 }
        return end > first && end < range.upperBound && bytes[end] == 0x0d ? first..<end : nil
      }
      while start < range.upperBound, bytes[start] != 0x0a { start += 1 }
      start += 1
    }
    return nil
  }

  private static func isName(at start: Int, in bytes: Span<UInt8>) -> Bool {
    name.indices.allSatisfy { index in
      let byte = bytes[start + index]
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      return (isCapital ? byte | 0x20 : byte) == name[index]
    }
  }

  private static func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] { range.map { bytes[$0] } }
}
