/// A half-open range of byte offsets in a scanned span, which is at most 4 GiB long.
package struct ByteRange: Hashable, Sendable {
  package var lower: UInt32
  package var upper: UInt32

  package static let none = ByteRange(0..<0)

  package init(_ range: Range<Int>) {
    lower = UInt32(range.lowerBound)
    upper = UInt32(range.upperBound)
  }

  package var isEmpty: Bool { lower == upper }
  package var count: Int { range.count }
  package var range: Range<Int> { Int(lower)..<Int(upper) }
}
