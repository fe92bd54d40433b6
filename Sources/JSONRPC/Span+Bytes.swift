public import Glibc

extension Span<UInt8> {
  /// The offset of the first `byte` inside `range`.
  @inlinable @inline(always)
  func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
    precondition(0 <= range.lowerBound && range.upperBound <= count, "the range lies outside")
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      // The buffer lives until the closure returns, and the hit lies inside it.
      guard
        let hit = unsafe memchr(base + range.lowerBound, Int32(byte), range.upperBound &- range.lowerBound)
      else { return nil }
      return Int(bitPattern: hit) &- Int(bitPattern: base)
    }
  }

  /// Whether there is a CR or an LF inside `range`.
  func holdsLineBreaks(in range: Range<Int>) -> Bool {
    firstOffset(of: UInt8(ascii: "\n"), in: range) != nil
      || firstOffset(of: UInt8(ascii: "\r"), in: range) != nil
  }

  /// Whether the bytes inside `range` are those of `text`.
  package func holds(_ text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count {
      guard self[range.lowerBound + offset] == text.byte(at: offset) else { return false }
    }
    return true
  }

  /// Whether both spans hold the same bytes.
  func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

extension [UInt8] {
  mutating func append(_ range: Range<Int>, of bytes: Span<UInt8>) {
    // The buffer lives until the closure returns.
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
