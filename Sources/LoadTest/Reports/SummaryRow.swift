/// A line of the tables that set runs side by side: what it says of each run.
struct SummaryRow {
  let name: String
  private let value: (LoadMeasurement) -> String?

  init(_ name: String, _ value: @escaping (LoadMeasurement) -> String?) {
    self.name = name
    self.value = value
  }

  func text(_ measurement: LoadMeasurement) -> String { value(measurement) ?? Quantity.none }

  /// Every row that has something to say about at least one of the runs.
  static func all(for measurements: [LoadMeasurement], withTimes: Bool = true) -> [SummaryRow] {
    let rows = counts + errors(in: measurements) + (withTimes ? times : []) + work
    return rows.filter { row in measurements.contains { row.value($0) != nil } }
  }

  private static var counts: [SummaryRow] {
    [
      SummaryRow("intended") { Quantity.count($0.intended) },
      SummaryRow("sent") { Quantity.count($0.sent) },
      SummaryRow("unsent") { $0.unsent == 0 ? nil : Quantity.count($0.unsent) },
      SummaryRow("replies per second") { Quantity.rate($0.perSecond) },
      SummaryRow("results") { Quantity.count($0.results) },
      SummaryRow("superseded") { Quantity.count($0.superseded) },
      SummaryRow("superseded of replies") { Quantity.share($0.superseded, of: $0.replies) },
      SummaryRow("cancelled") { $0.cancelled == 0 ? nil : Quantity.count($0.cancelled) },
      SummaryRow("abandoned") { $0.abandoned == 0 ? nil : Quantity.count($0.abandoned) },
      SummaryRow("pieces") { $0.pieces == 0 ? nil : Quantity.count($0.pieces) },
      SummaryRow("stale") { Quantity.count($0.stale) },
      SummaryRow("errors") { Quantity.count($0.errorCount) },
    ]
  }

  private static func errors(in measurements: [LoadMeasurement]) -> [SummaryRow] {
    Set(measurements.flatMap(\.errors.keys)).sorted(by: >).map { code in
      let name = ErrorName.text(code).map { " (\($0))" } ?? ""
      return SummaryRow("error \(code)\(name)") { Quantity.count($0.errors[code] ?? 0) }
    }
  }

  private static var times: [SummaryRow] {
    LoadTiming.allCases.flatMap { timing in
      shown(of: timing).map { percentile in
        SummaryRow("\(timing.title) \(percentile.name)") {
          timing.nanoseconds(percentile, of: $0).map(Quantity.time)
        }
      }
    }
  }

  private static func shown(of timing: LoadTiming) -> [Percentile] {
    timing == .latency || timing == .service ? Percentile.shown : [.p50, .p99, .maximum]
  }

  private static var work: [SummaryRow] {
    [
      SummaryRow("computed upstream") { $0.upstream.map { Quantity.count($0.computed) } },
      SummaryRow("cancelled upstream") { $0.upstream.map { Quantity.count($0.cancelled) } },
      SummaryRow("upstream busy") { $0.upstream.map { Quantity.time($0.busyNanoseconds) } },
      SummaryRow("computed when direct") { $0.direct.map { Quantity.count($0.computed) } },
      SummaryRow("busy when direct") { $0.direct.map { Quantity.time($0.busyNanoseconds) } },
      SummaryRow("stale when direct") { $0.directStale.map(Quantity.count) },
      SummaryRow("saved computing") { LoadSavings($0).map { LoadSavings.text($0.computedRatio) } },
      SummaryRow("saved busy time") { LoadSavings($0).map { LoadSavings.text($0.busyRatio) } },
      SummaryRow("checks") { LoadVerdict($0).word },
    ]
  }
}
