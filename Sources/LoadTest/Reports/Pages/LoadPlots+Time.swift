/// What happened in the course of the runs.
extension LoadPlots {
  /// One for each run, all to the same scale.
  var rates: [Figure] {
    let highest = intervals.joined().map(\.perSecond).max() ?? 0
    return intervals.indices.filter { !intervals[$0].isEmpty }.map { rate($0, highest: highest) }
  }

  private func rate(_ index: Int, highest: Double) -> Figure {
    let parts: [(label: String, style: String, count: (LoadInterval) -> UInt64)] = [
      ("results", "results", \.results), ("superseded", "superseded", \.superseded),
      ("cancelled", "faint", \.cancelled), ("errors", "errors", \.errors),
    ]
    var base = [(x: Double, y: Double)]()
    var curves: [SVGPlot.Curve] = []
    for part in parts where intervals[index].contains(where: { part.count($0) > 0 }) {
      let points = overTime(index) { Double(part.count($0)) * 1e9 / Double(max(1, $0.lengthNanoseconds)) }
      if base.isEmpty { base = points.map { ($0.x, 0) } }
      let top = zip(points, base).map { (x: $0.x, y: $0.y + $1.y) }
      curves.append(.init(points: top, style: part.style, label: part.label, base: base.map(\.y)))
      base = top
    }
    let name = hasSeveral ? "\(Self.letter(index)): replies per second" : "Replies per second"
    return Figure(
      caption: name, note: "by outcome",
      plot: SVGPlot(
        id: "rate\(index)", title: name, description: rateDescription(index), x: time,
        y: .linear(upTo: highest) { Quantity.tick($0) }, curves: curves))
  }

  private func rateDescription(_ index: Int) -> String {
    let rates = intervals[index].map(\.perSecond)
    return
      "Between \(Quantity.rate(rates.min() ?? 0)) and \(Quantity.rate(rates.max() ?? 0)), as stacked areas of "
      + "results, superseded requests and errors."
  }

  var latencyOverTime: Figure? {
    let answered = intervals.joined().filter { $0.results > 0 }
    guard !answered.isEmpty else { return nil }
    let values = answered.flatMap { [$0.p50Nanoseconds, $0.maxNanoseconds] }.map { Double($0) }
    let curves = intervals.indices.flatMap(hasSeveral ? latencyAmongOthers : latencyAlone)
    let description =
      "p99 between \(range(answered.map(\.p99Nanoseconds))), max up to "
      + "\(Quantity.time(answered.map(\.maxNanoseconds).max() ?? 0)); logarithmic scale."
    return Figure(
      caption: "Latency over time", note: hasSeveral ? "p50 thin, p99 bold" : "p50, p99 and the slowest",
      plot: SVGPlot(
        id: "latency", title: "Latency over time", description: description, x: time,
        y: .logarithmic(values), curves: curves))
  }

  private func latencyAlone(_ index: Int) -> [SVGPlot.Curve] {
    [
      .init(points: latency(index, \.maxNanoseconds), style: "faint dots", label: "max"),
      .init(points: latency(index, \.p99Nanoseconds), style: "c0 bold", label: "p99"),
      .init(points: latency(index, \.p50Nanoseconds), style: "c0 thin", label: "p50"),
    ]
  }

  private func latencyAmongOthers(_ index: Int) -> [SVGPlot.Curve] {
    let (letter, colour) = (Self.letter(index), Self.colour(index))
    return [
      .init(points: latency(index, \.p99Nanoseconds), style: "\(colour) bold", label: "\(letter) p99"),
      .init(points: latency(index, \.p50Nanoseconds), style: "\(colour) thin", label: "\(letter) p50"),
    ]
  }

  private func latency(_ index: Int, _ value: (LoadInterval) -> UInt64) -> [(x: Double, y: Double)] {
    overTime(index, among: intervals[index].filter { $0.results > 0 }) { Double(value($0)) }
  }

  private func range(_ values: [UInt64]) -> String {
    "\(Quantity.time(values.min() ?? 0)) and \(Quantity.time(values.max() ?? 0))"
  }

  private var time: PlotAxis {
    .time(upTo: intervals.compactMap { $0.last?.endSeconds }.max() ?? 1)
  }

  /// At the middle of each interval, and to the edges of the run.
  private func overTime(
    _ index: Int, among shown: [LoadInterval]? = nil, _ value: (LoadInterval) -> Double
  ) -> [(x: Double, y: Double)] {
    let shown = shown ?? intervals[index]
    guard let first = shown.first, let last = shown.last else { return [] }
    let middle = shown.map { (x: $0.middleSeconds, y: value($0)) }
    return [(first.startSeconds, value(first))] + middle + [(last.endSeconds, value(last))]
  }
}
