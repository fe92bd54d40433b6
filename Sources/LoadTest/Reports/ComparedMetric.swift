/// A metric by which two sets of runs are compared, and its samples in a run.
struct ComparedMetric: Sendable {
  enum Better: Sendable { case higher, lower, neither }

  let name: String
  let better: Better
  /// One sample for each interval, or one for the whole run.
  let samples: @Sendable (LoadMeasurement) -> [Double]
  let text: @Sendable (Double) -> String

  static let all = ofIntervals + ofRuns

  private static let ofIntervals = [
    ComparedMetric("replies per second", .higher, Quantity.rate) { $0.length > 0 ? $0.perSecond : nil },
    ComparedMetric("results per second", .higher, Quantity.rate) {
      $0.length > 0 ? Double($0.results) * 1e9 / $0.length : nil
    },
    ComparedMetric("superseded", .neither, Quantity.percent) { $0.share($0.superseded) },
    ComparedMetric("errors", .lower, Quantity.percent) { $0.share($0.errors) },
    ComparedMetric("latency p50", .lower, duration) { $0.ofResults($0.p50Nanoseconds) },
    ComparedMetric("latency p99", .lower, duration) { $0.ofResults($0.p99Nanoseconds) },
    ComparedMetric("latency max", .lower, duration) { $0.ofResults($0.maxNanoseconds) },
  ]

  private static let ofRuns =
    [LoadTiming.service, .staleness, .cancel].map { timing in
      ComparedMetric("\(timing.title) p99 (of runs)", .lower, duration) { (run: LoadMeasurement) in
        timing.nanoseconds(.p99, of: run).map { Double($0) }
      }
    } + [
      ComparedMetric("computed per result (of runs)", .lower, Quantity.threeDigits) {
        (run: LoadMeasurement) in
        guard let upstream = run.upstream, run.results > 0 else { return nil }
        return Double(upstream.computed) / Double(run.results)
      }
    ]

  /// The first interval is left out, for caches and connections are still cold in it, and so is the last, in which
  /// nothing is sent any more.
  private init(
    _ name: String, _ better: Better, _ text: @escaping @Sendable (Double) -> String,
    sample: @escaping @Sendable (LoadInterval) -> Double?
  ) {
    (self.name, self.better, self.text) = (name, better, text)
    samples = { $0.intervals.dropFirst().dropLast().compactMap(sample) }
  }

  private init(
    _ name: String, _ better: Better, _ text: @escaping @Sendable (Double) -> String,
    ofRun sample: @escaping @Sendable (LoadMeasurement) -> Double?
  ) {
    (self.name, self.better, self.text) = (name, better, text)
    samples = { sample($0).map { [$0] } ?? [] }
  }

  @Sendable private static func duration(_ nanoseconds: Double) -> String {
    Quantity.time(UInt64(nanoseconds))
  }
}

extension LoadInterval {
  fileprivate var length: Double { Double(lengthNanoseconds) }

  fileprivate func share(_ count: UInt64) -> Double? {
    replies == 0 ? nil : Double(count) / Double(replies)
  }

  /// nil when there was no result that could have taken so long.
  fileprivate func ofResults(_ nanoseconds: UInt64) -> Double? { results == 0 ? nil : Double(nanoseconds) }
}
