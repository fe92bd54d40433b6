import Histogram

/// A place in a distribution, from 0 to 100; 100 is its maximum.
struct Percentile: Hashable, Sendable {
  var percent: Double
  var name: String

  static let p50 = Percentile(percent: 50, name: "p50")
  static let p90 = Percentile(percent: 90, name: "p90")
  static let p99 = Percentile(percent: 99, name: "p99")
  static let p999 = Percentile(percent: 99.9, name: "p99.9")
  static let maximum = Percentile(percent: 100, name: "max")
  /// The percentiles that every report shows.
  static let shown: [Percentile] = [.p50, .p90, .p99, .p999, .maximum]
}

extension Histogram<UInt64> {
  /// nil when nothing was recorded, for then there is no such value.
  func nanoseconds(_ percentile: Percentile) -> UInt64? {
    totalCount == 0 ? nil : valueAtPercentile(percentile.percent)
  }

  /// What was recorded, rising, as `record(_:count:)` takes it to make the same histogram again: all
  /// percentiles, the smallest and the largest value included.
  ///
  /// The library's own iterators sum up count times value and trap when that overflows.
  func forEachRecorded(_ body: (_ value: UInt64, _ count: UInt64) -> Void) {
    var lowest: UInt64 = 0
    var rest = totalCount
    while rest > 0 && lowest <= maxRecorded {
      let next = nextNonEquivalentForValue(lowest)
      let count = Swift.min(countForValue(lowest), rest)
      let smallest = rest == totalCount ? Swift.max(lowest, min) : lowest
      rest -= count
      if next > maxRecorded && maxRecorded > smallest {
        if count > 1 { body(smallest, count - 1) }
        body(maxRecorded, 1)
      } else if count > 0 {
        body(smallest, count)
      }
      lowest = next
    }
  }
}
