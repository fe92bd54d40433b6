import Foundation
import Gateway
import GatewayCore
import Testing

@testable import Admin

/// The numbers above the lanes of the live page.
@Suite struct StatsTextTests {
  private func stats(_ metrics: GatewayMetrics, _ watch: FeedCounts = FeedCounts()) throws -> [String: Any] {
    let text = StatsText.of(metrics, watch, unreached: ["a\"", "b"], at: 123)
    return try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
  }

  @Test func `all that invariant 10 adds up is among them`() throws {
    var metrics = GatewayMetrics()
    (metrics.counters.delivered, metrics.counters.failed, metrics.counters.superseded) = (1, 2, 4)
    (metrics.counters.cancelled, metrics.counters.expired, metrics.counters.rejected) = (8, 16, 32)
    (metrics.counters.abandoned, metrics.gauges.requests, metrics.counters.admitted) = (64, 128, 255)
    let stats = try stats(metrics)
    #expect(stats["t"] as? Int == 123)
    let counters = try #require(stats["counters"] as? [String: Int])
    let ends = ["delivered", "failed", "superseded", "cancelled", "expired", "rejected", "abandoned", "live"]
    #expect(ends.map { counters[$0] } == [1, 2, 4, 8, 16, 32, 64, 128])
    #expect(counters["admitted"] == 255)
  }

  @Test func `histograms have one count more than bounds`() throws {
    var metrics = GatewayMetrics()
    metrics.times.total.record(1)
    metrics.times.upstream.record(3)
    metrics.times.queueing.record(5)
    metrics.loopLag.record(.max)
    let stats = try stats(metrics)
    for (name, place) in [("totalMs", 0), ("upstreamMs", 1), ("queueMs", 2), ("loopLagMs", 23)] {
      let histogram = try #require(stats[name] as? [String: [Int]])
      let bounds = try #require(histogram["le"])
      let counts = try #require(histogram["n"])
      #expect(bounds.count == TimeHistogram.bucketCount - 1 && bounds.first == 2 && bounds.last == 8_388_608)
      #expect(counts.count == TimeHistogram.bucketCount && counts[place] == 1 && counts.reduce(0, +) == 1)
    }
  }

  @Test func `upstreams out of reach are named`() throws {
    #expect(try stats(GatewayMetrics())["unreached"] as? [String] == ["a\"", "b"])
  }

  @Test func `who watches hears what was left out`() throws {
    let watched = try stats(GatewayMetrics(), FeedCounts(watchers: 1, sent: 2, merged: 3, dropped: 4))
    #expect(watched["watch"] as? [String: Int] == ["sent": 2, "merged": 3, "dropped": 4])
    #expect(
      Set(try #require(watched["gauges"] as? [String: Int]).keys)
        == ["connections", "lanes", "queued", "running", "draining", "orphaned"])
  }
}
