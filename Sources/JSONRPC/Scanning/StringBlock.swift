import CBlocks

/// Sixteen bytes of a text, looked at together for what cannot just stand in a string: quotes, backslashes, control
/// characters, and what is not ASCII.
struct StringBlock {
  static let byteCount = 16

  private let marks: UInt64

  /// - Parameter offset: lies in a text or, by no more than 48 bytes, in the slack after it.
  @inline(always)
  init(at offset: Int, in bytes: Span<UInt8>) {
    assert(offset >= 0 && offset &+ Self.byteCount <= bytes.count)
    marks = unsafe bytes.withUnsafeBufferPointer { buffer in
      // Inside the text and its slack, which whoever reads text has asked for.
      unsafe cblocks_special_in_16(buffer.baseAddress.unsafelyUnwrapped + offset)
    }
  }

  /// How many bytes stand before the first special one.
  @inline(always)
  var plainByteCount: Int { (marks | 1 &<< UInt64(Self.byteCount)).trailingZeroBitCount }
}
