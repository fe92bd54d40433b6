/// How long something took, counted in buckets of which each reaches twice as far as the one before it.
///
/// Times are differences of the loop's clock, which counts whole milliseconds: one of 1 was shorter than 2.
package struct TimeHistogram: Sendable {
  /// The first reaches to 2 ms, the last but one to 2²³ ms, over two hours; what is longer is in the last.
  package static let bucketCount = 24

  /// By the number's highest bit; those behind the last bucket belong to it.
  private var counts = InlineArray<32, UInt64>(repeating: 0)
  package private(set) var sumMilliseconds: UInt64 = 0

  package init() {}

  @inline(__always)
  package mutating func record(_ milliseconds: UInt64) {
    let highestBit = UInt64.bitWidth - 1 - (milliseconds | 1).leadingZeroBitCount
    counts[min(highestBit, 31)] &+= 1
    sumMilliseconds &+= milliseconds
  }

  /// Those of both.
  package static func + (one: TimeHistogram, other: TimeHistogram) -> TimeHistogram {
    var sum = one
    for place in sum.counts.indices { sum.counts[place] &+= other.counts[place] }
    sum.sumMilliseconds &+= other.sumMilliseconds
    return sum
  }

  /// How many there were in a bucket.
  package subscript(bucket: Int) -> UInt64 {
    guard bucket == Self.bucketCount - 1 else { return counts[bucket] }
    var count: UInt64 = 0
    for place in bucket..<counts.count { count += counts[place] }
    return count
  }

  package var count: UInt64 {
    var count: UInt64 = 0
    for place in counts.indices { count += counts[place] }
    return count
  }

  /// The bound that all times in a bucket are below; nil: there is none.
  package static func boundMilliseconds(of bucket: Int) -> UInt64? {
    bucket < bucketCount - 1 ? 2 << UInt64(bucket) : nil
  }

  /// 0 without any.
  package var meanMilliseconds: UInt64 { sumMilliseconds / max(count, 1) }
}
