import Histogram

@testable import LoadTest

/// Runs whose every number is known.
enum SampleRuns {
  /// 1,000 results of 1 to 1,000 µs, 400 superseded requests and ten errors in two seconds.
  static func full() -> LoadMeasurement {
    var run = LoadMeasurement()
    run.settings = [.init("to", "127.0.0.1:5278"), .init("policy", "cancel"), .init("rate", "705/s")]
    run.seed = 7
    run.startedSeconds = 1_700_000_000
    run.elapsedNanoseconds = 2_000_000_000
    (run.intended, run.sent, run.unsent) = (1_412, 1_410, 2)
    (run.results, run.superseded, run.errors) = (1_000, 400, [-32082: 9, 17: 1])
    for microseconds in 1...1_000 as ClosedRange<UInt64> {
      run.latency.record(microseconds * 1_000)
      run.service.record(microseconds * 500)
      run.lag.record(microseconds * 10)
    }
    run.supersededAfter.record(300_000, count: 400)
    run.staleness.record(2_000_000, count: 600)
    run.cancelLatency.record(150_000, count: 390)
    run.upstream = work(requests: 1_400, computed: 1_000, cancelled: 390, busyNanoseconds: 5_000_000_000)
    run.direct = work(requests: 1_410, computed: 1_410, cancelled: 0, busyNanoseconds: 20_000_000_000)
    run.intervals = (0..<2).map { interval($0) }
    return run
  }

  static func with(policy: String) -> LoadMeasurement {
    var run = full()
    run.settings[1].value = policy
    return run
  }

  static func work(
    requests: UInt64, computed: UInt64, cancelled: UInt64, busyNanoseconds: UInt64
  ) -> LoadMeasurement.UpstreamWork {
    var work = LoadMeasurement.UpstreamWork()
    work.requests = requests
    work.computed = computed
    work.cancelled = cancelled
    work.busyNanoseconds = busyNanoseconds
    return work
  }

  static func interval(_ index: UInt64) -> LoadInterval {
    var interval = LoadInterval()
    interval.startNanoseconds = index * 1_000_000_000
    interval.lengthNanoseconds = 1_000_000_000
    (interval.intended, interval.sent) = (706, 705)
    (interval.results, interval.superseded, interval.errors, interval.open) = (500, 200, 5, 3)
    interval.p50Nanoseconds = 500_000 + index
    interval.p99Nanoseconds = 990_000
    interval.maxNanoseconds = 1_000_000
    interval.lagNanoseconds = 10_000
    return interval
  }
}
