import Gateway
import GatewayCore
import JSONRPC
import TaskStore

/// The counters that the live page shows above its lanes, as JSON.
enum StatsText {
  /// - Parameter unreached: the names of shared upstreams that cannot be reached.
  static func of(
    _ metrics: GatewayMetrics, _ watch: FeedCounts, unreached: [String], at nowMilliseconds: UInt64
  ) -> [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.member("t", nowMilliseconds)
      json.member("counters") { add(metrics.counters, metrics, to: &$0) }
      json.member("gauges") { add(metrics.gauges, to: &$0) }
      json.array("unreached", unreached)
      TopTalkers.add(metrics.principals, to: &json)
      add("totalMs", metrics.times.total, to: &json)
      add("upstreamMs", metrics.times.upstream, to: &json)
      add("queueMs", metrics.times.queueing, to: &json)
      add("loopLagMs", metrics.loopLag, to: &json)
      json.member("watch") { json in
        json.member("sent", watch.sent)
        json.member("merged", watch.merged)
        json.member("dropped", watch.dropped)
      }
    }
    return json.bytes
  }

  private static func add(
    _ counters: GatewayCounters, _ metrics: GatewayMetrics, to json: inout JSONBuilder
  ) {
    json.member("admitted", counters.admitted)
    for (outcome, count) in counters.outcomes { json.member(outcome, count) }
    json.member("live", metrics.gauges.requests)
    json.member("joined", counters.joined)
    json.member("followed", counters.followed)
    json.member("notifications", counters.notifications)
    json.member("notificationsLost", counters.notificationsLost)
    json.member("invalid", counters.invalid)
    json.member("sentUpstream", counters.sentUpstream)
    json.member("cancelsSent", counters.cancelsSent)
    json.member("droppedLate", counters.droppedLate)
    json.member("orphaned", metrics.orphansSoFar)
    json.member("upstreamSavedMs", counters.upstreamSavedMilliseconds)
  }

  private static func add(_ gauges: GatewayGauges, to json: inout JSONBuilder) {
    json.member("connections", gauges.connections)
    json.member("lanes", gauges.lanes)
    for (state, count) in gauges.tasks.states { json.member(state, count) }
  }

  private static func add(_ name: StaticString, _ histogram: TimeHistogram, to json: inout JSONBuilder) {
    let buckets = 0..<TimeHistogram.bucketCount
    json.member(name) { json in
      json.numbers("le", buckets.compactMap(TimeHistogram.boundMilliseconds))
      json.numbers("n", buckets.map { histogram[$0] })
    }
  }
}
