/// How long tasks took, and how late came what nobody wanted any more.
package struct GatewayTimes: Sendable {
  /// From a task's admission until it was sent upstream.
  package var queueing = TimeHistogram()
  /// From then until upstream answered, of those whose answers were wanted.
  package var upstream = TimeHistogram()
  /// From admission until the answer was committed.
  package var total = TimeHistogram()
  /// From admission until the first piece of the answer was committed, of those that are given in pieces.
  package var firstPiece = TimeHistogram()
  /// From when a task was not wanted any more until its answer came after all: so stale would it have been.
  package var staleness = TimeHistogram()

  package init() {}

  /// Those of both.
  package static func + (one: GatewayTimes, other: GatewayTimes) -> GatewayTimes {
    var sum = one
    sum.queueing = one.queueing + other.queueing
    sum.upstream = one.upstream + other.upstream
    sum.total = one.total + other.total
    sum.firstPiece = one.firstPiece + other.firstPiece
    sum.staleness = one.staleness + other.staleness
    return sum
  }
}
