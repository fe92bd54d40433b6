extension UnsafeMutableRawPointer {
  /// Copies bytes. Few are copied by overlapping words, which costs less than a call.
  @inlinable @inline(__always)
  func copyShort(from source: UnsafeRawPointer, byteCount: Int) {
    switch byteCount {
    case 17...64:
      if byteCount > 32 { copyPair(of: SIMD16<UInt8>.self, from: source, at: 16, byteCount &- 32) }
      copyPair(of: SIMD16<UInt8>.self, from: source, at: 0, byteCount &- 16)
    case 8...16: copyPair(of: UInt64.self, from: source, at: 0, byteCount &- 8)
    case 4..<8: copyPair(of: UInt32.self, from: source, at: 0, byteCount &- 4)
    default: copyMemory(from: source, byteCount: byteCount)
    }
  }

  @inlinable @inline(__always)
  func copyPair<Word: BitwiseCopyable>(
    of word: Word.Type, from source: UnsafeRawPointer, at first: Int, _ second: Int
  ) {
    let a = source.loadUnaligned(fromByteOffset: first, as: word)
    let b = source.loadUnaligned(fromByteOffset: second, as: word)
    storeBytes(of: a, toByteOffset: first, as: word)
    storeBytes(of: b, toByteOffset: second, as: word)
  }
}
