/// Sixteen bytes of a text, looked at together for what cannot just stand in a string: quotes, backslashes, control
/// characters, and what is not ASCII.
struct StringBlock {
  static let byteCount = 16

  private let marks: SIMD2<UInt64>

  private init(marks: SIMD2<UInt64>) { self.marks = marks }

  /// - Parameter offset: lies in a text or, by no more than 48 bytes, in the slack after it.
  @inline(always)
  init(at offset: Int, in bytes: Span<UInt8>) {
    assert(offset >= 0 && offset &+ Self.byteCount <= bytes.count)
    // Inside the text and its slack, which whoever reads text has asked for.
    let block = unsafe bytes.bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
    // Among ASCII only a quote and what is below a blank are below 0x21 once this bit is turned.
    let quoteOrControl = (block ^ SIMD16(repeating: 0x02)) &- SIMD16(repeating: 0x21)
    let backslash = (block ^ SIMD16(repeating: 0x5C)) &- SIMD16(repeating: 0x01)
    // Vectors of the same size, and any bits are right in both. Only the top bit of a byte means anything.
    marks = unsafe unsafeBitCast(quoteOrControl | backslash | block, to: SIMD2<UInt64>.self)
  }

  /// What is special in one of them is special in both.
  @inline(always)
  func merged(with other: StringBlock) -> StringBlock { StringBlock(marks: marks | other.marks) }

  @inline(always)
  var isPlain: Bool { (marks[0] | marks[1]) & ByteWord.topBits == 0 }

  /// How many bytes stand before the first special one.
  @inline(always)
  var plainByteCount: Int {
    let first = UInt64(littleEndian: marks[0]) & ByteWord.topBits
    if first != 0 { return ByteWord.byteCount(before: first) }
    let second = UInt64(littleEndian: marks[1]) & ByteWord.topBits
    return second == 0 ? Self.byteCount : ByteWord.byteCount &+ ByteWord.byteCount(before: second)
  }
}
