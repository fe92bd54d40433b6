/// A scalar beyond ASCII as UTF-8, found by its first four bytes.
package enum UTF8Scalar {
  /// How many bytes it has; 0 when that is not UTF-8 (table 3-7 of the Unicode standard: no overlong form, no surrogate,
  /// nothing above U+10FFFF).
  /// - Parameter bytes: begin with it, in the lowest byte.
  @inlinable @inline(always)
  package static func byteCount(of bytes: UInt32) -> Int {
    // First the bits that tell how long it is, then those that tell which scalars have a shorter form or do not exist.
    if bytes & 0xC0E0 == 0x80C0 { return bytes & 0x1E != 0 ? 2 : 0 }
    if bytes & 0xC0_C0F0 == 0x80_80E0 {
      let top = bytes & 0x200F
      return top != 0 && top != 0x200D ? 3 : 0
    }
    guard bytes & 0xC0C0_C0F8 == 0x8080_80F0 else { return 0 }
    let top = bytes & 0x3007
    return top != 0 && (top & 0x04 == 0 || top == 0x04) ? 4 : 0
  }
}
