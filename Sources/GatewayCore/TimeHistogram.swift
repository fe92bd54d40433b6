/// How long something took, counted in buckets of which each reaches twice as far as the one before it.
///
/// Times are differences of the loop's clock, which counts milliseconds: one is exact to that.
package struct TimeHistogram: Sendable {
  /// The first reaches to 1 ms, the last but one to 2²² ms, over an hour; what is longer is in the last.
  package static let bucketCount = 24

  private var counts = InlineArray<24, UInt64>(repeating: 0)
  package private(set) var count: UInt64 = 0
  package private(set) var sumMilliseconds: UInt64 = 0

  package init() {}

  @inline(__always)
  package mutating func record(_ milliseconds: UInt64) {
    counts[Self.bucket(of: milliseconds)] &+= 1
    count &+= 1
    sumMilliseconds &+= milliseconds
  }

  /// How many there were in a bucket.
  package subscript(bucket: Int) -> UInt64 { counts[bucket] }

  /// The longest time that belongs into a bucket; nil: there is no bound.
  package static func boundMilliseconds(of bucket: Int) -> UInt64? {
    bucket < bucketCount - 1 ? 1 << UInt64(bucket) : nil
  }

  /// 0 without any.
  package var meanMilliseconds: UInt64 { count == 0 ? 0 : sumMilliseconds / count }

  @inline(__always)
  private static func bucket(of milliseconds: UInt64) -> Int {
    // Of 0 and 1 nothing is left of the number that is one less, and 64 bits lead.
    let below = milliseconds &- (milliseconds == 0 ? 0 : 1)
    return min(UInt64.bitWidth - below.leadingZeroBitCount, bucketCount - 1)
  }
}

/// How long tasks took, and how late came what nobody wanted any more.
package struct GatewayTimes: Sendable {
  /// From a task's admission until it was sent upstream.
  package var queueing = TimeHistogram()
  /// From then until upstream answered, of those whose answers were wanted.
  package var upstream = TimeHistogram()
  /// From admission until the answer was committed.
  package var total = TimeHistogram()
  /// From when a task was not wanted any more until its answer came after all: so stale would it have been.
  package var staleness = TimeHistogram()

  package init() {}
}
