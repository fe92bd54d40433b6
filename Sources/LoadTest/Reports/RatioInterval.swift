/// The ratio of two means, and the bounds that chance leaves it.
struct RatioInterval: Hashable, Sendable {
  static let resamples = 2_000
  /// With fewer, resampling says nothing about chance.
  static let fewestSamples = 5
  /// With fewer on a side, runs cannot be told from the chance inside them.
  static let fewestRuns = 3
  private static let seed: UInt64 = 20_260_101
  private static let tail = 0.025
  /// Two means of the same numbers can differ by rounding.
  private static let rounding = 1e-9

  let ratio: Double
  let lower: Double
  let upper: Double

  var includesOne: Bool { lower - Self.rounding <= 1 && 1 <= upper + Self.rounding }

  /// nil when `a` is zero throughout, for then there is no ratio.
  init?(of b: BlockSamples, to a: BlockSamples) {
    let ratio = b.mean / a.mean
    guard ratio.isFinite else { return nil }
    let ratios = Self.resampled(b, a)
    guard let first = ratios.first, let last = ratios.last else { return nil }
    let cut = Int(Double(ratios.count) * Self.tail)
    let widening = Self.widening(of: Self.independentCount(a, b))
    self.ratio = ratio
    lower = max(0, ratio - (ratio - min(ratio, max(first, ratios[cut]))) * widening)
    upper = ratio + (max(ratio, min(last, ratios[ratios.count - 1 - cut])) - ratio) * widening
  }

  static func hasRuns(_ a: BlockSamples, _ b: BlockSamples) -> Bool {
    min(a.runs.count, b.runs.count) >= fewestRuns
  }

  private static func resampled(_ b: BlockSamples, _ a: BlockSamples) -> [Double] {
    var random = LoadRandom(state: seed)
    let hasRuns = hasRuns(a, b)
    let ratios = (0..<resamples).map { _ in
      hasRuns
        ? b.resampledMeanOfRuns(&random) / a.resampledMeanOfRuns(&random)
        : b.resampledMean(&random) / a.resampledMean(&random)
    }
    return ratios.filter { !$0.isNaN }.sorted()
  }

  private static func independentCount(_ a: BlockSamples, _ b: BlockSamples) -> Int {
    hasRuns(a, b) ? min(a.runs.count, b.runs.count) : min(a.count, b.count)
  }

  /// Resampling so few takes their spread for smaller than it is: Student's t against the normal quantile,
  /// by the first terms of its expansion, and n / (n - 1) for the variance.
  private static func widening(of count: Int) -> Double {
    let freedom = Double(max(1, count - 1))
    let normal = 1.96
    let student = normal + 2.37 / freedom + 2.82 / (freedom * freedom)
    return student / normal * (Double(freedom + 1) / freedom).squareRoot()
  }
}
