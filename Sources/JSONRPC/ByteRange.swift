/// A half-open range of byte offsets in a scanned span, which is at most 4 GiB long.
@usableFromInline
package struct ByteRange: Hashable, Sendable {
  @usableFromInline package var lower: UInt32
  @usableFromInline package var upper: UInt32

  @inlinable
  package static var none: ByteRange { ByteRange(lower: 0, upper: 0) }

  @inlinable
  package init(_ range: Range<Int>) {
    lower = UInt32(range.lowerBound)
    upper = UInt32(range.upperBound)
  }

  @inlinable
  init(lower: UInt32, upper: UInt32) {
    self.lower = lower
    self.upper = upper
  }

  /// Both are offsets in one text, so that neither needs to be checked.
  @inline(always)
  init(from start: Int, to end: Int) {
    assert(0 <= start && start <= end && end <= UInt32.max)
    self.init(lower: UInt32(truncatingIfNeeded: start), upper: UInt32(truncatingIfNeeded: end))
  }

  /// What stands between the quotes of a raw string, or the brackets of a container.
  @inlinable package var withoutQuotes: ByteRange {
    let start = lower &+ 1
    return ByteRange(lower: start, upper: max(start &+ 1, upper) &- 1)
  }

  /// The first eight of the bytes here and, if they are fewer, of those that follow. Slack follows them.
  @inlinable @inline(always)
  package func firstWord(in bytes: Span<UInt8>) -> ByteWord {
    let start = Int(lower)
    precondition(start <= bytes.count &- ByteWord.byteCount, "the range lies in another span")
    return ByteWord(at: start, in: bytes)
  }

  /// Whether the bytes here are these, at most eight, which are asked for at once. Slack follows them.
  @inlinable @inline(always)
  package func holds(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
    count == text.utf8CodeUnitCount && firstWord(in: bytes).begins(with: text)
  }

  @inlinable package var isEmpty: Bool { lower == upper }
  @inlinable package var count: Int { Int(upper) &- Int(lower) }
  @inlinable package var range: Range<Int> { Int(lower)..<Int(upper) }

  /// From the beginning of the first of two to the end of the last; an empty one counts for nothing.
  @inlinable @inline(__always)
  package func joined(with other: ByteRange) -> ByteRange {
    if other.isEmpty { return self }
    if isEmpty { return other }
    return ByteRange(lower: min(lower, other.lower), upper: max(upper, other.upper))
  }

  /// Where this is in a copy of what it is part of.
  @inlinable @inline(__always)
  package func moved(from whole: ByteRange, to copy: ByteRange) -> ByteRange {
    guard !isEmpty else { return .none }
    let start = lower &- whole.lower &+ copy.lower
    return ByteRange(lower: start, upper: start &+ (upper &- lower))
  }
}
