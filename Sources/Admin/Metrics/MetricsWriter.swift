import GatewayCore
import JSONRPC

/// Writes metrics in the text format that Prometheus reads (version 0.0.4).
struct MetricsWriter {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String { case counter, gauge, histogram }

  private(set) var text: [UInt8] = []

  /// Begins a metric, whose samples follow.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
  }

  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
    sample(name, labels, text: "\(value)")
  }

  /// A metric of one sample.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: UInt64) {
    begin(name, kind, help)
    sample(name, [], value)
  }

  mutating func addSeconds(_ name: String, _ kind: Kind, _ help: String, milliseconds: UInt64) {
    begin(name, kind, help)
    sample(name, [], text: Self.seconds(milliseconds))
  }

  mutating func add(_ name: String, _ help: String, _ histogram: TimeHistogram) {
    begin(name, .histogram, help)
    var count: UInt64 = 0
    for bucket in 0..<TimeHistogram.bucketCount {
      count += histogram[bucket]
      let bound = TimeHistogram.boundMilliseconds(of: bucket).map(Self.seconds) ?? "+Inf"
      sample(name + "_bucket", [("le", bound)], count)
    }
    sample(name + "_sum", [], text: Self.seconds(histogram.sumMilliseconds))
    sample(name + "_count", [], count)
  }

  private mutating func sample(_ name: String, _ labels: [(String, String)], text value: String) {
    append(name)
    for (index, label) in labels.enumerated() {
      append(index == 0 ? "{" : ",")
      append("\(label.0)=\"")
      appendEscaped(label.1)
      append("\"")
    }
    append(labels.isEmpty ? " \(value)\n" : "} \(value)\n")
  }

  private mutating func append(_ text: String) { self.text.append(contentsOf: text.utf8) }

  private mutating func appendEscaped(_ value: String) {
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\n"): append("\\n")
      default: text.append(byte)
      }
    }
  }

  /// Seconds in decimal digits, exact to the millisecond.
  static func seconds(_ milliseconds: UInt64) -> String {
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    guard rest > 0 else { return "\(whole)" }
    var fraction = "\(1000 + rest)".dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }
}
