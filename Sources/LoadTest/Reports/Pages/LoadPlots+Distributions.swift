import Glibc
import Histogram

/// How long requests took, the rare slow ones as plain to see as the others.
extension LoadPlots {
  func distribution(_ id: String, _ caption: String, _ timings: [LoadTiming], _ note: String)
    -> Figure?
  {
    var curves: [SVGPlot.Curve] = []
    for (index, run) in runs.enumerated() {
      for (rank, timing) in timings.enumerated() {
        let points = Self.points(timing.histogram(of: run))
        guard !points.isEmpty else { continue }
        let style = Self.colour(index) + (rank == 0 ? " bold" : " dash")
        // Among several runs the dashes tell the second timing, and a label for each would hide the curves.
        let label = !hasSeveral ? timing.title : rank == 0 ? Self.letter(index) : ""
        curves.append(.init(points: points, style: style, label: label))
      }
    }
    guard !curves.isEmpty else { return nil }
    let samples = runs.flatMap { run in timings.map { $0.histogram(of: run).totalCount } }.max() ?? 0
    return Figure(
      caption: caption, note: note,
      plot: SVGPlot(
        id: "\(id)-percentiles", title: caption, description: description(timings),
        x: .percentiles(samples: samples), y: .logarithmic(curves.flatMap { $0.points.map(\.y) }),
        curves: curves))
  }

  private func description(_ timings: [LoadTiming]) -> String {
    let figures = runs.indices.flatMap { index in
      timings.compactMap { timing -> String? in
        guard let p99 = timing.nanoseconds(.p99, of: runs[index]) else { return nil }
        return (hasSeveral ? Self.letter(index) + " " : "") + "\(timing.title) p99 \(Quantity.time(p99))"
      }
    }
    return figures.joined(separator: ", ") + "; both scales logarithmic, so that rare slow requests show."
  }

  /// Values at evenly spaced distances from 100 %, in logarithms, as far as there are samples, and the largest.
  private static func points(_ histogram: Histogram<UInt64>) -> [(x: Double, y: Double)] {
    let total = histogram.totalCount
    guard total > 0 else { return [] }
    let end = min(PlotAxis.mostNines, log10(Double(total)))
    var points: [(x: Double, y: Double)] = []
    var below: UInt64 = 0
    histogram.forEachRecorded { value, count in
      below += count
      let reached = below == total ? end : log10(Double(total) / Double(total - below))
      while points.count < Self.points, end * Double(points.count) / Double(Self.points) <= reached {
        points.append((end * Double(points.count) / Double(Self.points), Double(max(1, value))))
      }
    }
    return points + [(end, Double(max(1, histogram.maxRecorded)))]
  }
}
