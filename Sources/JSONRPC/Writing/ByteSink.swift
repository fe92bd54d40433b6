import HotData

/// Where a message is written to.
@usableFromInline
package protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(_ text: StaticString)
  mutating func append(_ bytes: Span<UInt8>)
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>)
  mutating func append(decimal number: UInt64)
  /// Appends the first bytes of some words, as they lie in memory.
  mutating func append(_ words: InlineArray<3, UInt64>, _ count: Int)
}

extension ByteSink where Self: ~Copyable {
  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) { append(bytes.extracting(range)) }

  @inlinable
  package mutating func append(_ words: InlineArray<3, UInt64>, _ count: Int) {
    // Any bytes will do as bytes.
    append(unsafe Span<UInt8>(_bytes: words.span.bytes.extracting(0..<count)))
  }
}

extension Array: ByteSink where Element == UInt8 {
  @usableFromInline
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  @usableFromInline
  package mutating func append(_ bytes: Span<UInt8>) { append(bytes.indices, of: bytes) }

  @usableFromInline
  package mutating func append(decimal number: UInt64) {
    let digits = DecimalDigits(number)
    guard let leading = digits.leading else { return append([digits.last, 0, 0], digits.lastCount) }
    let before = DecimalDigits(leading)
    guard before.leading == nil else {
      append(decimal: leading)
      return append([digits.last, 0, 0], digits.lastCount)
    }
    // Up to sixteen leave as one: the last eight begin in the first word, and end in the second.
    let last = UInt64(littleEndian: digits.last)
    let first = UInt64(littleEndian: before.last) | last << UInt64(before.lastCount * 8)
    let second = last >> UInt64(64 - before.lastCount * 8)
    append([first.littleEndian, second.littleEndian, 0], before.lastCount + digits.lastCount)
  }
}
