/// Metrics as somebody reads them who knows nothing of who wrote them.
struct MetricsReader {
  struct Sample {
    let name: String
    let labels: [String: String]
    let value: String
  }

  private(set) var helps: [String: String] = [:]
  private(set) var kinds: [String: String] = [:]
  private(set) var samples: [Sample] = []
  /// Lines that are none of these.
  private(set) var strange: [String] = []

  init(_ text: [UInt8]) {
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") { read(line) }
  }

  func values(_ name: String) -> [String] { samples.filter { $0.name == name }.map(\.value) }

  /// The metric that a sample belongs to.
  func metric(of sample: Sample) -> String {
    for ending in ["_bucket", "_sum", "_count"] where sample.name.hasSuffix(ending) {
      let name = String(sample.name.dropLast(ending.count))
      if kinds[name] == "histogram" { return name }
    }
    return sample.name
  }

  private mutating func read(_ line: Substring) {
    if let help = line.wholeMatch(of: /# HELP (\w+) (.+)/), helps[String(help.1)] == nil {
      helps[String(help.1)] = String(help.2)
    } else if let type = line.wholeMatch(of: /# TYPE (\w+) (\w+)/), kinds[String(type.1)] == nil {
      kinds[String(type.1)] = String(type.2)
    } else if let sample = line.wholeMatch(of: /(\w+)(?:\{(.*)\})? ([0-9.]+)/) {
      let labels = Self.labels(sample.2 ?? "")
      samples.append(Sample(name: String(sample.1), labels: labels, value: String(sample.3)))
    } else {
      strange.append(String(line))
    }
  }

  private static func labels(_ text: Substring) -> [String: String] {
    var labels: [String: String] = [:]
    for match in text.matches(of: /(\w+)="((?:[^"\\]|\\.)*)"/) {
      let value = match.2.replacing("\\n", with: "\n").replacing("\\\"", with: "\"")
      labels[String(match.1)] = String(value.replacing("\\\\", with: "\\"))
    }
    return labels
  }
}
