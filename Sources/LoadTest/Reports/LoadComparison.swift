/// Compares two sets of runs: by how much B differs from A, and whether that can be chance.
package struct LoadComparison: Sendable {
  package enum Outcome: Hashable, Sendable {
    case higher, lower
    /// There is no difference that so many samples could show.
    case noDifference(samples: Int)
    case tooFewSamples(Int)
    /// A is zero throughout.
    case noRatio
  }

  package struct Row: Sendable {
    let metric: ComparedMetric
    let a: BlockSamples
    let b: BlockSamples
    let interval: RatioInterval?
    package let outcome: Outcome

    package var name: String { metric.name }
    package var ratio: Double? { interval?.ratio }
    package var lower: Double? { interval?.lower }
    package var upper: Double? { interval?.upper }
  }

  package let rows: [Row]
  private let runCounts: (a: Int, b: Int)

  package init(_ a: [LoadMeasurement], _ b: [LoadMeasurement]) {
    runCounts = (a.count, b.count)
    rows = ComparedMetric.all.compactMap { Row($0, a, b) }
  }

  /// The comparison as a person reads it.
  package var lines: [String] {
    guard !rows.isEmpty else { return ["  Neither side has anything to compare."] }
    var table = AlignedTable(hasWordsAtEnd: true)
    table.add(["", "A", "B", "B/A", "95 % interval", ""])
    for row in rows { table.add(row.cells) }
    return table.lines + [""] + [method, caution].compactMap(\.self).map { "  " + $0 }
  }

  private var method: String? {
    let sides = "\(plural(runCounts.a, "run")) (A) and \(plural(runCounts.b, "run")) (B)"
    let drawn = hasRuns ? "runs and of the intervals in them" : "the runs' intervals"
    let resamples = Quantity.count(UInt64(RatioInterval.resamples))
    return "Ratios of means over \(sides); 95 % intervals from \(resamples) bootstrap resamples of \(drawn), "
      + "always the same ones; the first and the last interval of each run are left out."
  }

  /// A warning about what the figures cannot show.
  private var caution: String? {
    guard !hasRuns else { return nil }
    return "How much one run differs from the next is not in these intervals: "
      + "give each side \(RatioInterval.fewestRuns) runs or more."
  }

  private var hasRuns: Bool { min(runCounts.a, runCounts.b) >= RatioInterval.fewestRuns }

  private func plural(_ count: Int, _ word: String) -> String {
    count == 1 ? "1 \(word)" : "\(count) \(word)s"
  }
}

extension LoadComparison.Row {
  /// nil when neither side has a sample, or none that is not zero.
  fileprivate init?(_ metric: ComparedMetric, _ a: [LoadMeasurement], _ b: [LoadMeasurement]) {
    self.metric = metric
    self.a = BlockSamples(a.map(metric.samples))
    self.b = BlockSamples(b.map(metric.samples))
    guard self.a.mean > 0 || self.b.mean > 0 else { return nil }
    let samples = min(self.a.count, self.b.count)
    let hasEnough = samples >= RatioInterval.fewestSamples
    interval = hasEnough ? RatioInterval(of: self.b, to: self.a) : nil
    outcome = hasEnough ? Self.outcome(interval, samples) : .tooFewSamples(samples)
  }

  private static func outcome(_ interval: RatioInterval?, _ samples: Int) -> LoadComparison.Outcome {
    guard let interval else { return .noRatio }
    if interval.includesOne { return .noDifference(samples: samples) }
    return interval.ratio > 1 ? .higher : .lower
  }

  fileprivate var cells: [String] {
    let bounds = interval.map { "\(Self.text($0.lower)) to \(Self.text($0.upper))" }
    return [
      name, text(a), text(b), interval.map { Self.text($0.ratio) } ?? Quantity.none, bounds ?? Quantity.none,
      words,
    ]
  }

  private func text(_ side: BlockSamples) -> String {
    side.count == 0 ? Quantity.none : metric.text(side.mean)
  }

  private static func text(_ ratio: Double) -> String { Quantity.decimal(ratio, places: 3) }

  private var words: String {
    switch outcome {
    case .higher: "higher" + judgement(.higher)
    case .lower: "lower" + judgement(.lower)
    case .noDifference(let samples): "no difference that \(samples) samples could show"
    case .tooFewSamples(let samples): "too few samples: \(samples) of \(RatioInterval.fewestSamples)"
    case .noRatio: "none in A"
    }
  }

  private func judgement(_ direction: ComparedMetric.Better) -> String {
    metric.better == .neither ? "" : metric.better == direction ? ", better" : ", worse"
  }
}
