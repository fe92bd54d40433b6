/// What a principal has done since the start.
package struct PrincipalTally: Hashable, Sendable {
  /// Requests and notifications for upstreams, those that were refused included.
  package var requests: UInt64 = 0
  /// Callers that its requests superseded when they came, and what it cancelled.
  package var superseded: UInt64 = 0
  package var cancelled: UInt64 = 0
  /// Requests, notifications and cancels that were beyond one of its quotas.
  package var refused: UInt64 = 0

  package init() {}

  package static func + (one: PrincipalTally, other: PrincipalTally) -> PrincipalTally {
    one.with(other) { $0 &+ $1 }
  }

  /// What has come since an earlier one; nothing, where that had more.
  package func since(_ earlier: PrincipalTally) -> PrincipalTally {
    with(earlier) { $0 > $1 ? $0 - $1 : 0 }
  }

  private func with(_ other: PrincipalTally, _ combine: (UInt64, UInt64) -> UInt64) -> PrincipalTally {
    var tally = PrincipalTally()
    tally.requests = combine(requests, other.requests)
    tally.superseded = combine(superseded, other.superseded)
    tally.cancelled = combine(cancelled, other.cancelled)
    tally.refused = combine(refused, other.refused)
    return tally
  }
}
