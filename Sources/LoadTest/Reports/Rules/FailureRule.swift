/// Decides whether a run failed by one bound of the user's, such as `p99>20ms` or `errors>1%`.
///
/// What was not measured breaks its rule: a latency without a result, a share of no replies.
package struct FailureRule: Hashable, Sendable {
  /// What one can be about.
  package static let forms = RuleMetric.allowed

  enum Comparison: String, CaseIterable, Sendable {
    // Longer ones first, as they are looked for.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"

    func holds(_ measured: Double, _ bound: Double) -> Bool {
      switch self {
      case .atLeast: measured >= bound
      case .atMost: measured <= bound
      case .above: measured > bound
      case .below: measured < bound
      }
    }
  }

  private let text: String
  private let metric: RuleMetric
  private let comparison: Comparison
  private let bound: RuleBound

  package init(_ text: String) throws(FailureRuleError) {
    var scanner = RuleScanner(text)
    metric = try scanner.metric()
    comparison = try scanner.comparison()
    bound = try scanner.bound(for: metric)
    self.text = scanner.read
  }

  package func isBroken(by measurement: LoadMeasurement) -> Bool {
    guard let measured = metric.value(of: measurement, asShare: bound.unit == .percent) else { return true }
    return comparison.holds(measured, bound.value)
  }

  /// The measured value against the bound.
  package func line(for measurement: LoadMeasurement) -> String {
    let outcome = isBroken(by: measurement) ? "BROKEN" : "kept"
    let measured = metric.value(of: measurement, asShare: bound.unit == .percent)
    let text = measured.map { metric.text($0, asShare: bound.unit == .percent) } ?? "not measured"
    return "\(outcome): fails if \(self), it was \(text)"
  }
}

extension FailureRule: CustomStringConvertible {
  package var description: String { text }
}
