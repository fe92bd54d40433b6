/// Says what a load run measured, as a person reads it in a terminal.
package enum LoadText {
  /// Columns before a line's values.
  private static let nameColumns = 14

  /// What the times mean, for readers without the documentation.
  package static let legend = LoadTiming.allCases.map { "\($0.title), \($0.meaning)" }.joined(separator: "; ")

  /// One run, in full.
  package static func lines(_ measurement: LoadMeasurement) -> [String] {
    var lines = measurement.reportedSettings.map { row($0.name.printable, $0.value.printable) }
    lines += [""] + counts(measurement) + [""] + times(measurement)
    if let warning = ClientLimit.warning(measurement) { lines.append("  " + warning) }
    lines += work(measurement)
    lines += ["", row("checks", LoadVerdict(measurement).description.printable)]
    if measurement.violationCount > 0 { lines += violations(measurement) }
    return lines
  }

  /// Several runs side by side, a column for each.
  package static func table(_ measurements: [LoadMeasurement]) -> [String] {
    guard !measurements.isEmpty else { return [] }
    let legend = RunLegend(measurements)
    var table = AlignedTable()
    if legend.differing.isEmpty { table.add(["run"] + measurements.indices.map { "\($0 + 1)" }) }
    for (name, values) in legend.differing { table.add([name.printable] + values.map(\.printable)) }
    table.add([])
    for row in SummaryRow.all(for: measurements) { table.add([row.name] + measurements.map(row.text)) }
    return legend.common.map { row($0.name.printable, $0.value.printable) } + [""] + table.lines
  }

  private static func counts(_ measurement: LoadMeasurement) -> [String] {
    var lines = [
      row("requests", requests(measurement)),
      row(
        "replies",
        "\(Quantity.count(measurement.replies)) in \(Quantity.time(measurement.elapsedNanoseconds)), "
          + Quantity.rate(measurement.perSecond)),
      row("results", Quantity.count(measurement.results)),
      row("superseded", withShare(measurement.superseded, measurement)),
    ]
    if measurement.cancelled > 0 {
      lines.append(row("cancelled", withShare(measurement.cancelled, measurement)))
    }
    lines.append(row("errors", withShare(measurement.errorCount, measurement)))
    for (code, count) in measurement.errors.sorted(by: { $0.key > $1.key }) {
      let name = ErrorName.text(code).map { "  \($0)" } ?? ""
      lines.append(row("  \(code)", Quantity.count(count) + name))
    }
    if measurement.abandoned > 0 { lines.append(row("abandoned", Quantity.count(measurement.abandoned))) }
    if measurement.pieces > 0 { lines.append(row("pieces", Quantity.count(measurement.pieces))) }
    return lines + [row("stale", Quantity.count(measurement.stale))]
  }

  private static func requests(_ measurement: LoadMeasurement) -> String {
    let unsent = measurement.unsent == 0 ? "" : ", \(Quantity.count(measurement.unsent)) unsent"
    return
      "\(Quantity.count(measurement.intended)) intended, \(Quantity.count(measurement.sent)) sent\(unsent)"
  }

  private static func withShare(_ count: UInt64, _ measurement: LoadMeasurement) -> String {
    count == 0 ? "0" : "\(Quantity.count(count)) (\(Quantity.share(count, of: measurement.replies)))"
  }

  private static func times(_ measurement: LoadMeasurement) -> [String] {
    var table = AlignedTable()
    table.add([""] + Percentile.shown.map(\.name))
    for timing in LoadTiming.allCases {
      let times = Percentile.shown.compactMap { timing.nanoseconds($0, of: measurement) }
      if !times.isEmpty { table.add([timing.title] + times.map(Quantity.time)) }
    }
    return table.lines
  }

  private static func work(_ measurement: LoadMeasurement) -> [String] {
    guard let upstream = measurement.upstream else { return [] }
    var lines = ["", row("upstream", upstream.line)]
    if let direct = measurement.direct { lines.append(row("direct", direct.line)) }
    if let stale = measurement.directStale {
      lines.append(row("", "\(Quantity.count(stale)) results that a newer one had overtaken"))
    }
    if let savings = LoadSavings(measurement) { lines.append(row("saved", savings.line)) }
    return lines
  }

  private static func violations(_ measurement: LoadMeasurement) -> [String] {
    var lines: [String] = []
    for violation in measurement.violations {
      lines.append(row("VIOLATION", "connection \(violation.connection): \(violation.description.printable)"))
      lines += violation.trace.map { row("", $0.printable) }
    }
    return lines + [row("replay", "the same settings, seed \(measurement.seed)")]
  }

  private static func row(_ name: String, _ value: String) -> String {
    "  " + name.padded(to: max(nameColumns, name.count + 1)) + value
  }
}

extension String {
  /// The text with what a terminal would obey made visible.
  var printable: String {
    String(
      UnicodeScalarView(
        unicodeScalars.map { scalar in
          let isObeyed = scalar.value < 0x20 || 0x7f...0x9f ~= scalar.value || isDirectional(scalar)
          return isObeyed ? "\u{b7}" : scalar
        }))
  }

  /// Marks that change the order in which a terminal shows the rest.
  private func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    0x200e...0x200f ~= scalar.value || 0x2028...0x202e ~= scalar.value || 0x2066...0x2069 ~= scalar.value
  }
}
