import Gateway
import GatewayCore
import Identity
import Testing

@testable import Admin
@testable import LibUV

/// What `/metrics` says.
@Suite struct MetricsTextTests {
  private func read(
    _ metrics: GatewayMetrics = GatewayMetrics(), _ process: ProcessUsage = ProcessUsage(),
    fleet: FleetStatus? = nil
  ) -> MetricsReader {
    let watch = FeedCounts(watchers: 1, sent: 2, merged: 3, dropped: 4)
    return MetricsReader(MetricsText.of(metrics, watch, process, WatchedScene.build, fleet))
  }

  private static func upstream(_ name: String) -> (name: String, gauges: UpstreamGauges) {
    var gauges = UpstreamGauges()
    (gauges.endpoints, gauges.connectedEndpoints, gauges.inFlight, gauges.waiting) = (4, 3, 2, 1)
    return (name, gauges)
  }

  @Test func `each metric says once what it is, and has samples`() {
    var metrics = GatewayMetrics()
    metrics.upstreams = [Self.upstream("main")]
    let text = read(metrics)
    #expect(text.strange.isEmpty)
    #expect(text.helps.count > 40 && Set(text.helps.keys) == Set(text.kinds.keys))
    #expect(Set(text.samples.map(text.metric)) == Set(text.kinds.keys))
    #expect(text.helps.values.allSatisfy { $0.hasSuffix(".") })
  }

  @Test func `names end in what is counted, times are in seconds and sizes in bytes`() {
    for (name, kind) in read().kinds {
      #expect(name.hasPrefix("lastword_") || name.hasPrefix("process_"), "\(name)")
      #expect((kind == "counter") == name.hasSuffix("_total"), "\(name)")
      if kind == "histogram" { #expect(name.hasSuffix("_seconds"), "\(name)") }
      for unit in ["milliseconds", "_ms", "kilobytes", "percent"] { #expect(!name.contains(unit), "\(name)") }
    }
  }

  @Test func `a member of a fleet says what it has to do with others, and nobody else does`() {
    var status = FleetStatus()
    (status.actsMilliseconds, status.highestEpoch, status.linksUp) = (1, 7, 2)
    (status.askingLoops, status.differingLoops, status.forwardedRequests) = (4, 3, 9)
    var metrics = GatewayMetrics()
    metrics.upstreams = [Self.upstream("main")]
    let text = read(metrics, fleet: status)
    #expect(text.strange.isEmpty && Set(text.samples.map(text.metric)) == Set(text.kinds.keys))
    let values = Dictionary(
      uniqueKeysWithValues: text.samples.filter { $0.name.hasPrefix("lastword_fleet_") }.map {
        ($0.name, $0.value)
      })
    #expect(values["lastword_fleet_acts"] == "1" && values["lastword_fleet_epoch"] == "7")
    #expect(values["lastword_fleet_links"] == "2" && values["lastword_fleet_asking_loops"] == "4")
    #expect(values["lastword_fleet_differing_loops"] == "3")
    #expect(values["lastword_fleet_forwarded_requests_total"] == "9")
    #expect(text.kinds["lastword_fleet_forwarded_requests_total"] == "counter")
    #expect(read().kinds.keys.allSatisfy { !$0.hasPrefix("lastword_fleet_") })
  }

  @Test func `labels are few, and none of them can name a key or a method`() {
    var metrics = GatewayMetrics()
    metrics.upstreams = [Self.upstream("main")]
    metrics.principals = [Self.principal(1)]
    let labels = Set(read(metrics).samples.flatMap(\.labels.keys))
    let few = [
      "version", "revision", "mode", "outcome", "state", "peer", "reason", "upstream", "le", "principal",
    ]
    #expect(labels == Set(few))
  }

  private static func principal(_ number: Int) -> PrincipalView {
    var tally = PrincipalTally()
    (tally.requests, tally.refused) = (UInt64(number), 1)
    return PrincipalView(name: "p\(number)", connections: 1, tasks: number, requestBytes: 2, tally: tally)
  }

  @Test func `each principal has a sample of each of its metrics, and without any there is none`() {
    var metrics = GatewayMetrics()
    metrics.principals = [Self.principal(1), Self.principal(2).named("(others)", PrincipalTally())]
    let samples = read(metrics).samples.filter { $0.name == "lastword_principal_requests_total" }
    #expect(samples.map(\.labels) == [["principal": "p1"], ["principal": "(others)"]])
    #expect(samples.map(\.value) == ["1", "0"])
    #expect(read(metrics).values("lastword_principal_tasks") == ["1", "2"])
    #expect(!read().kinds.keys.contains("lastword_principal_tasks"))
  }

  @Test func `why log-ins failed is told in words, those that never were included`() {
    var metrics = GatewayMetrics()
    for fault in [LogInFault.unknown, .signed(.expired), .signed(.expired)] {
      metrics.logInFaults.count(fault)
    }
    let samples = read(metrics).samples.filter { $0.name == "lastword_authentication_failures_total" }
    #expect(samples.compactMap { $0.labels["reason"] } == LogInFault.allCases.map(\.word))
    let counts = Dictionary(uniqueKeysWithValues: samples.map { ($0.labels["reason"]!, $0.value) })
    #expect(counts.filter { $0.value != "0" } == ["unknown token": "1", "expired": "2"])
  }

  @Test func `every outcome is a sample, and they add up`() {
    var metrics = GatewayMetrics()
    (metrics.counters.delivered, metrics.counters.failed, metrics.counters.superseded) = (1, 2, 4)
    (metrics.counters.cancelled, metrics.counters.expired, metrics.counters.rejected) = (8, 16, 32)
    (metrics.counters.abandoned, metrics.counters.admitted, metrics.gauges.requests) = (64, 255, 128)
    let text = read(metrics)
    let ended = text.samples.filter { $0.name == "lastword_requests_ended_total" }
    #expect(
      Dictionary(uniqueKeysWithValues: ended.map { ($0.labels["outcome"]!, $0.value) }) == [
        "delivered": "1", "failed": "2", "superseded": "4", "cancelled": "8", "expired": "16",
        "rejected": "32", "abandoned": "64",
      ])
    let open = text.values("lastword_requests_open").compactMap(Int.init)
    #expect(ended.compactMap { Int($0.value) }.reduce(open[0], +) == 255)
    #expect(text.values("lastword_requests_admitted_total") == ["255"])
  }

  @Test func `buckets hold what the ones before them hold, and the last one all`() {
    var metrics = GatewayMetrics()
    for time: UInt64 in [0, 1, 2, 3, 4, 1_000, 8_388_607, 8_388_608, 1 << 40] {
      metrics.times.queueing.record(time)
    }
    let text = read(metrics)
    let name = "lastword_task_queueing_seconds"
    let buckets = text.samples.filter { $0.name == name + "_bucket" }
    let counts = buckets.compactMap { Int($0.value) }
    #expect(buckets.count == TimeHistogram.bucketCount && counts == counts.sorted())
    let bounds = buckets.map { $0.labels["le"]! }
    #expect(bounds.first == "0.002" && bounds[22] == "8388.608" && bounds.last == "+Inf")
    // A time of 2 ms was shorter than 3, but perhaps not as short as 2.
    #expect(counts[0] == 2 && counts[1] == 4 && counts[2] == 5)
    #expect(counts[22] == 7 && counts[23] == 9)
    #expect(text.values(name + "_count") == ["9"])
    #expect(text.values(name + "_sum") == ["1099528406.001"])
  }

  @Test(arguments: [
    (0, "0"), (1, "0.001"), (10, "0.01"), (100, "0.1"), (999, "0.999"), (1_000, "1"), (1_050, "1.05"),
    (60_000, "60"), (UInt64.max, "18446744073709551.615"),
  ])
  func `seconds are written without a rounding error`(milliseconds: UInt64, text: String) {
    #expect(MetricsWriter.seconds(milliseconds) == text)
  }

  @Test func `an upstream is named, whatever its name is made of`() {
    var metrics = GatewayMetrics()
    let odd = "a\"b\\c\nd"
    metrics.upstreams = [Self.upstream("main"), Self.upstream(odd)]
    let text = read(metrics)
    #expect(text.strange.isEmpty)
    let names = [
      "lastword_upstream_requests_waiting", "lastword_upstream_requests_in_flight",
      "lastword_upstream_endpoints_connected", "lastword_upstream_endpoints",
    ]
    for (index, name) in names.enumerated() {
      let samples = text.samples.filter { $0.name == name }
      #expect(samples.map { $0.labels["upstream"] } == ["main", odd])
      #expect(samples.map(\.value) == ["\(index + 1)", "\(index + 1)"])
    }
  }

  @Test func `which program runs is told by labels`() throws {
    let sample = try #require(read().samples.first { $0.name == "lastword_build_info" })
    #expect(sample.labels == ["version": "1.2.3", "revision": "0f1e2d-dirty", "mode": "release"])
    #expect(sample.value == "1")
  }

  @Test func `the process, its watchers and its end are told of`() {
    var process = ProcessUsage()
    (process.residentBytes, process.cpuMilliseconds, process.startMilliseconds) = (
      5, 1_234, 1_700_000_000_001
    )
    (process.openDescriptors, process.descriptorLimit) = (6, 7)
    var metrics = GatewayMetrics()
    (metrics.isDraining, metrics.droppedLogLines) = (true, 8)
    let text = read(metrics, process)
    for (name, value) in [
      "process_resident_memory_bytes": "5", "process_cpu_seconds_total": "1.234", "process_open_fds": "6",
      "process_start_time_seconds": "1700000000.001", "process_max_fds": "7", "lastword_draining": "1",
      "lastword_log_lines_dropped_total": "8", "lastword_live_pages": "1",
      "lastword_live_events_sent_total": "2", "lastword_live_events_merged_total": "3",
      "lastword_live_frames_dropped_total": "4",
    ] {
      #expect(text.values(name) == [value], "\(name)")
    }
    #expect(read().values("lastword_draining") == ["0"])
  }
}
