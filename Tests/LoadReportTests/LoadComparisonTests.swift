import Histogram
import Testing

@testable import LoadTest

@Suite struct LoadComparisonTests {
  /// A run whose intervals scatter by 2 % around their means, and whose first and last ones are far off.
  private func run(rate: Double, p99: Double = 10e6, intervals: Int = 32, seed: UInt64) -> LoadMeasurement {
    var random = LoadRandom(state: seed)
    var run = LoadMeasurement()
    run.intervals = (0..<UInt64(intervals)).map { index in
      let noise = { (random: inout LoadRandom) in 0.98 + Double(random.below(4_001)) / 100_000 }
      var interval = SampleRuns.interval(index)
      (interval.superseded, interval.errors) = (0, 0)
      interval.results = UInt64((index == 0 || index == UInt64(intervals) - 1 ? 10 : rate) * noise(&random))
      interval.p99Nanoseconds = UInt64(p99 * noise(&random))
      return interval
    }
    return run
  }

  private func row(_ name: String, _ a: [LoadMeasurement], _ b: [LoadMeasurement]) throws
    -> LoadComparison.Row
  {
    try #require(LoadComparison(a, b).rows.first { $0.name == name })
  }

  @Test func `identical runs show no difference`() throws {
    let run = run(rate: 10_000, seed: 1)
    for row in LoadComparison([run], [run]).rows {
      #expect(row.outcome == .noDifference(samples: 30))
      #expect(row.ratio == 1)
    }
  }

  @Test func `runs of the same distribution show no difference`() throws {
    let row = try row("replies per second", [run(rate: 10_000, seed: 1)], [run(rate: 10_000, seed: 2)])
    #expect(row.outcome == .noDifference(samples: 30))
  }

  @Test func `a tenth more is found, between bounds that cover it`() throws {
    let (a, b) = (run(rate: 10_000, seed: 1), run(rate: 11_000, p99: 9e6, seed: 2))
    let rate = try row("replies per second", [a], [b])
    let (lower, upper) = (try #require(rate.lower), try #require(rate.upper))
    #expect(rate.outcome == .higher)
    #expect((lower...upper).contains(1.1) && lower > 1.08 && upper < 1.12)
    let p99 = try row("latency p99", [a], [b])
    let bounds = (try #require(p99.lower))...(try #require(p99.upper))
    #expect(p99.outcome == .lower && bounds.contains(0.9))
  }

  @Test func `intervals cover the truth about as often as they say`() throws {
    var covered = 0
    for trial in 0..<40 as Range<UInt64> {
      let a = run(rate: 10_000, intervals: 12, seed: 2 * trial + 1_000)
      let b = run(rate: 11_000, intervals: 12, seed: 2 * trial + 1_001)
      let row = try row("results per second", [a], [b])
      let bounds = (try #require(row.lower))...(try #require(row.upper))
      if bounds.contains(1.1) { covered += 1 }
    }
    #expect((35...40).contains(covered))
  }

  @Test func `runs that differ among themselves widen the bounds`() throws {
    let a = [9_000.0, 10_000, 11_000].enumerated().map { run(rate: $1, seed: UInt64($0) + 1) }
    let b = [10_000.0, 11_000, 12_000].enumerated().map { run(rate: $1, seed: UInt64($0) + 7) }
    #expect(try row("replies per second", a, b).outcome == .noDifference(samples: 90))
    #expect(try row("replies per second", [a[1]], [b[1]]).outcome == .higher)
  }

  @Test func `too few samples say so`() throws {
    let (a, b) = (run(rate: 10_000, intervals: 6, seed: 1), run(rate: 20_000, seed: 2))
    let row = try row("replies per second", [a], [b])
    #expect(row.outcome == .tooFewSamples(4) && row.ratio == nil)
    #expect(LoadComparison([a], [b]).lines[1].hasSuffix("too few samples: 4 of 5"))
    #expect(LoadComparison([], []).lines == ["  Neither side has anything to compare."])
  }

  @Test func `what the whole run gives once is compared over runs`() throws {
    let runs = (1...5).map { number in
      var run = LoadMeasurement()
      run.staleness.record(UInt64(number) * 1_000_000)
      return run
    }
    let slower = runs.map { run in
      var run = run
      run.staleness.record(50_000_000)
      return run
    }
    #expect(try row("staleness p99 (of runs)", runs, runs).outcome == .noDifference(samples: 5))
    #expect(try row("staleness p99 (of runs)", runs, slower).outcome == .higher)
  }

  @Test func `errors that came from nowhere have no ratio, and those that went are fewer`() throws {
    let clean = run(rate: 10_000, seed: 1)
    var failing = run(rate: 10_000, seed: 2)
    for index in failing.intervals.indices { failing.intervals[index].errors = 100 }
    #expect(try row("errors", [clean], [failing]).outcome == .noRatio)
    #expect(try row("errors", [failing], [clean]).outcome == .lower)
  }

  @Test func `a comparison is a table and a line that says how it was made`() {
    let lines = LoadComparison([run(rate: 10_000, seed: 1)], [run(rate: 11_000, p99: 9e6, seed: 2)]).lines
    #expect(
      lines.prefix(7) == [
        "                              A          B     B/A    95 % interval",
        "  replies per second   10,006/s   11,006/s   1.100   1.093 to 1.106   higher, better",
        "  results per second   10,006/s   11,006/s   1.100   1.093 to 1.106   higher, better",
        "  latency p50            500 µs     500 µs   1.000   1.000 to 1.000   no difference that 30 samples could show",
        "  latency p99           10.0 ms    8.98 ms   0.897   0.892 to 0.902   lower, better",
        "  latency max           1.00 ms    1.00 ms   1.000   1.000 to 1.000   no difference that 30 samples could show",
        "",
      ])
    #expect(
      lines.suffix(2) == [
        "  Ratios of means over 1 run (A) and 1 run (B); 95 % intervals from 2,000 bootstrap resamples of the runs' "
          + "intervals, always the same ones; the first and the last interval of each run are left out.",
        "  How much one run differs from the next is not in these intervals: give each side 3 runs or more.",
      ])
  }

  @Test func `very long runs are averaged to a bounded number of samples`() {
    let samples = BlockSamples([Array(repeating: 2, count: 100_001), []])
    #expect(samples.count <= 500 && samples.runs.count == 1 && samples.mean == 2)
  }
}
