package import GatewayCore

/// Everything that a gateway counts and measures, at one moment.
package struct GatewayMetrics: Sendable {
  package var counters = GatewayCounters()
  package var logInFaults = LogInFaultCounts()
  package var times = GatewayTimes()
  package var gauges = GatewayGauges()
  package var upstreams: [(name: String, gauges: UpstreamGauges)] = []
  package var principals: [PrincipalView] = []
  /// Of all of them together, those included that are not there any more.
  package var principalTally = PrincipalTally()
  /// Tasks that outlived their drain grace, since the start.
  package var orphansSoFar: UInt64 = 0
  package var loopLag = TimeHistogram()
  package var isDraining = false
  /// That nobody took.
  package var droppedLogLines: UInt64 = 0
  package var droppedAuditLines: UInt64 = 0

  package init() {}

  /// Those of two loops of one gateway.
  static func + (one: GatewayMetrics, other: GatewayMetrics) -> GatewayMetrics {
    var sum = one
    sum.counters = one.counters + other.counters
    sum.logInFaults = one.logInFaults + other.logInFaults
    sum.times = one.times + other.times
    sum.gauges = one.gauges + other.gauges
    sum.upstreams = zip(one.upstreams, other.upstreams).map { ($0.name, $0.gauges + $1.gauges) }
    sum.principals = PrincipalView.merged(one.principals + other.principals)
    sum.principalTally = one.principalTally + other.principalTally
    sum.orphansSoFar += other.orphansSoFar
    sum.loopLag = one.loopLag + other.loopLag
    sum.isDraining = one.isDraining || other.isDraining
    // There is one log; each loop writes its own part of what is audited.
    sum.droppedLogLines = max(one.droppedLogLines, other.droppedLogLines)
    sum.droppedAuditLines += other.droppedAuditLines
    return sum
  }
}
