package import GatewayCore

/// Everything that a gateway counts and measures, at one moment.
package struct GatewayMetrics: Sendable {
  package var counters = GatewayCounters()
  package var logInFaults = LogInFaultCounts()
  package var times = GatewayTimes()
  package var gauges = GatewayGauges()
  package var upstreams: [(name: String, gauges: UpstreamGauges)] = []
  package var principals: [PrincipalView] = []
  /// Tasks that outlived their drain grace, since the start.
  package var orphansSoFar: UInt64 = 0
  package var loopLag = TimeHistogram()
  package var isDraining = false
  /// That nobody took.
  package var droppedLogLines: UInt64 = 0
  package var droppedAuditLines: UInt64 = 0

  package init() {}
}
