import Histogram
import TaskStore

/// What a load run measured, and whether every reply was right.
package struct LoadReport: Sendable {
  package var options: LoadOptions
  package var sent: UInt64 = 0
  package var results: UInt64 = 0
  package var superseded: UInt64 = 0
  /// Other errors, by code.
  package var errors: [Int: UInt64] = [:]
  /// The first violations, at most `violationsKept`, with their connection.
  package var violations: [(connection: Int, ConnectionOracle.Violation)] = []
  package var violationCount = 0
  package var elapsedNanoseconds: UInt64 = 0
  /// Set when a connection was lost or never came about.
  package var failure: String?
  var latencyNanoseconds = Histogram<UInt64>(highestTrackableValue: 3_600_000_000_000)

  static let violationsKept = 20

  init(options: LoadOptions) { self.options = options }

  package var isRight: Bool { violationCount == 0 && failure == nil && results + superseded > 0 }
  package var replies: UInt64 { results + superseded + errors.values.reduce(0, +) }
  package var perSecond: Double { Double(replies) * 1e9 / Double(max(1, elapsedNanoseconds)) }

  mutating func add(_ violation: ConnectionOracle.Violation, connection: Int) {
    violationCount += 1
    if violations.count < Self.violationsKept { violations.append((connection, violation)) }
  }

  package func latencyMilliseconds(percentile: Double) -> Double {
    Double(latencyNanoseconds.valueAtPercentile(percentile)) / 1e6
  }

  /// The report as a person reads it.
  package var lines: [String] {
    var lines = [
      "\(options.connections) connections × \(options.depth) open requests, "
        + "\(options.keys) keys each, policy \(options.policy?.name ?? "none (no keys)")",
      row(
        "requests", "\(sent) in \(decimal(Double(elapsedNanoseconds) / 1e9, 2)) s, \(decimal(perSecond, 0))/s"
      ),
      row("results", "\(results)"),
      row("superseded", "\(superseded)"),
    ]
    for (code, count) in errors.sorted(by: { $0.key > $1.key }) {
      lines.append(row("error \(code)", "\(count)"))
    }
    let percentiles = [("p50", 50.0), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100)]
    let latency = percentiles.map { "\($0.0) \(decimal(latencyMilliseconds(percentile: $0.1), 3)) ms" }
    lines.append(row("latency", latency.joined(separator: "   ")))
    if let failure { lines.append(row("FAILED", failure)) }
    lines.append(row("checks", verdict))
    lines += violations.map { "  VIOLATION     connection \($0.connection): \($0.1)" }
    return lines
  }

  private var verdict: String {
    violationCount > 0
      ? "\(violationCount) violations"
      : isRight ? "one reply for each request, nothing stale, every answer its own" : "nothing was checked"
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + name + String(repeating: " ", count: max(1, 14 - name.count)) + value
  }

  private func decimal(_ number: Double, _ places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = UInt64((number * scale).rounded())
    let whole = String(scaled / UInt64(scale))
    guard places > 0 else { return whole }
    let fraction = String(scaled % UInt64(scale))
    return whole + "." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
