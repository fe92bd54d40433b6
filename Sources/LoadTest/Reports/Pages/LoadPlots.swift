/// Makes the plots of a report page from what the runs measured.
struct LoadPlots {
  /// A plot and the words over it.
  struct Figure {
    var caption: String
    var note: String
    var plot: SVGPlot
  }

  /// Points of a curve; more cannot be told apart.
  static let points = 240
  private static let colours = 7

  let runs: [LoadMeasurement]
  let intervals: [[LoadInterval]]
  let hasSeveral: Bool

  init(_ runs: [LoadMeasurement]) {
    self.runs = runs
    intervals = runs.map { LoadInterval.merged($0.intervals, upTo: Self.points) }
    hasSeveral = runs.count > 1
  }

  var figures: [Figure] {
    rates
      + [
        latencyOverTime,
        distribution("latency", "Latency by percentile", [.latency, .service], Self.latencyNote),
        distribution("staleness", "Staleness by percentile", [.staleness], Self.stalenessNote),
      ].compactMap { $0 }
  }

  private static let latencyNote =
    "of results; latency from when a request was due, dashed from when it was sent"
  private static let stalenessNote = "from the moment a key's newest request was sent to that of its answer"

  /// The letter by which a run is known on the page.
  static func letter(_ index: Int) -> String {
    let letters = 26
    let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % letters)))
    return index < letters ? letter : "\(letter)\(index / letters + 1)"
  }

  static func colour(_ index: Int) -> String { "c\(index % colours)" }
}
