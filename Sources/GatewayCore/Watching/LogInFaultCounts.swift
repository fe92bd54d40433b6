package import Identity

/// How often each fault made an authentication fail: together as often as authentications failed.
package struct LogInFaultCounts: Sendable {
  private var counts: [LogInFault: UInt64] = [:]

  package init() {}

  package mutating func count(_ fault: LogInFault) { counts[fault, default: 0] += 1 }

  /// Those of both.
  package static func + (one: LogInFaultCounts, other: LogInFaultCounts) -> LogInFaultCounts {
    var sum = one
    sum.counts.merge(other.counts) { $0 + $1 }
    return sum
  }

  /// Of all there are, in the same order always, those that never were included.
  package var samples: [(reason: String, count: UInt64)] {
    LogInFault.allCases.map { ($0.word, counts[$0] ?? 0) }
  }
}
