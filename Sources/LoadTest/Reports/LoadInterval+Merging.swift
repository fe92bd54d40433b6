extension LoadInterval {
  var startSeconds: Double { Double(startNanoseconds) / 1e9 }
  var endSeconds: Double { Double(startNanoseconds + lengthNanoseconds) / 1e9 }
  var middleSeconds: Double { (startSeconds + endSeconds) / 2 }

  /// Neighbours made one, so that no more than `limit` are left.
  ///
  /// So is the end of a run, in which only late replies come, where it is too short for a rate of its own.
  static func merged(_ intervals: [LoadInterval], upTo limit: Int) -> [LoadInterval] {
    var intervals = intervals
    let usual = intervals.first?.lengthNanoseconds ?? 0
    if intervals.count > 1, let last = intervals.last, last.lengthNanoseconds < usual / 2 {
      intervals.removeLast()
      intervals[intervals.count - 1].add(last)
    }
    let length = max(1, (intervals.count + limit - 1) / limit)
    return stride(from: 0, to: intervals.count, by: length).map { start in
      let others = intervals[start + 1..<min(start + length, intervals.count)]
      return others.reduce(into: intervals[start]) { $0.add($1) }
    }
  }

  /// Percentiles of both are not known any more; the larger ones are shown, for none must look better than it was.
  private mutating func add(_ next: LoadInterval) {
    lengthNanoseconds += next.lengthNanoseconds
    intended += next.intended
    sent += next.sent
    results += next.results
    superseded += next.superseded
    cancelled += next.cancelled
    errors += next.errors
    stale += next.stale
    open = next.open
    p50Nanoseconds = max(p50Nanoseconds, next.p50Nanoseconds)
    p99Nanoseconds = max(p99Nanoseconds, next.p99Nanoseconds)
    maxNanoseconds = max(maxNanoseconds, next.maxNanoseconds)
    lagNanoseconds = max(lagNanoseconds, next.lagNanoseconds)
  }
}
