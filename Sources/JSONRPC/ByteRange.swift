/// A half-open range of byte offsets in a scanned span, which is at most 4 GiB long.
package struct ByteRange: Hashable, Sendable {
  package var lower: UInt32
  package var upper: UInt32

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

  @inlinable package var isEmpty: Bool { lower == upper }
  @inlinable package var count: Int { Int(upper) &- Int(lower) }
  @inlinable package var range: Range<Int> { Int(lower)..<Int(upper) }
}
