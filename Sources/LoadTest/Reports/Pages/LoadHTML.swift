/// Lays out what load runs measured as one page that needs nothing from elsewhere.
package enum LoadHTML {
  package static func page(_ measurements: [LoadMeasurement]) -> String {
    let legend = RunLegend(measurements)
    let title = measurements.count > 1 ? "Load report of \(measurements.count) runs" : "Load report"
    let parts =
      [header(title, measurements), runs(measurements, legend), headline(measurements), notes(measurements)]
      + [
        plots(measurements), figures(measurements), settings(measurements, legend), violations(measurements),
      ]
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(PageStyle.text)
      </style>
      </head>
      <body>
      <main>
      \(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
      </main>
      </body>
      </html>

      """
  }

  private static func header(_ title: String, _ measurements: [LoadMeasurement]) -> String {
    let when = measurements.first.map { UTCDate.text($0.startedSeconds) } ?? ""
    let long = measurements.count == 1 ? ", \(Quantity.time(measurements[0].elapsedNanoseconds))" : ""
    return "<header><h1>\(title)</h1><p>\(when)\(long)</p></header>"
  }

  /// Which letter and colour means which run.
  private static func runs(_ measurements: [LoadMeasurement], _ legend: RunLegend) -> String {
    guard measurements.count > 1 else { return "" }
    let items = measurements.indices.map { index in
      "<li class=\"\(LoadPlots.colour(index))\"><b>\(LoadPlots.letter(index))</b> "
        + "\(HTMLText.escaped(legend.label(index)))</li>"
    }
    return "<ul class=\"legend\">\(items.joined())</ul>"
  }

  /// What a run comes to, in a few large figures.
  private static func headline(_ measurements: [LoadMeasurement]) -> String {
    guard measurements.count == 1 else { return "" }
    let run = measurements[0]
    let time = { (percentile: Percentile) in
      run.latency.nanoseconds(percentile).map(Quantity.time) ?? Quantity.none
    }
    let items = [
      ("replies", Quantity.rate(run.perSecond)), ("latency p50", time(.p50)), ("latency p99", time(.p99)),
      ("superseded", Quantity.share(run.superseded, of: run.replies)),
      ("errors", Quantity.share(run.errorCount, of: run.replies)), ("checks", LoadVerdict(run).word),
    ]
    return "<dl class=\"headline\">"
      + items.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined() + "</dl>"
  }

  /// What stands between the figures and their meaning.
  private static func notes(_ measurements: [LoadMeasurement]) -> String {
    measurements.enumerated().flatMap { index, run in
      let name = measurements.count > 1 ? "<b>\(LoadPlots.letter(index))</b> " : ""
      return [run.failure.map { "Failed: \($0)" }, ClientLimit.warning(run)].compactMap { note in
        note.map { "<p class=\"note\">\(name)\(HTMLText.escaped($0))</p>" }
      }
    }.joined(separator: "\n")
  }

  private static func plots(_ measurements: [LoadMeasurement]) -> String {
    let figures = LoadPlots(measurements).figures.map { figure in
      "<figure><figcaption><b>\(HTMLText.escaped(figure.caption))</b> \(HTMLText.escaped(figure.note))</figcaption>\n"
        + figure.plot.svg + "</figure>"
    }
    return figures.isEmpty ? "" : "<div class=\"plots\">\n\(figures.joined(separator: "\n"))\n</div>"
  }

  /// One run's times fill a table of their own, by percentile; those of several runs stand side by side.
  private static func figures(_ measurements: [LoadMeasurement]) -> String {
    let isAlone = measurements.count == 1
    let rows = SummaryRow.all(for: measurements, withTimes: !isAlone).map { row in
      [row.name] + measurements.map(row.text)
    }
    let table = HTMLTable.text(head: heads(measurements), rows: rows)
    return section(
      "Figures", isAlone ? "<div class=\"beside\">\(times(measurements[0]))\(table)</div>" : table)
  }

  private static func times(_ measurement: LoadMeasurement) -> String {
    let rows = LoadTiming.allCases.compactMap { timing -> [String]? in
      let times = Percentile.shown.compactMap { timing.nanoseconds($0, of: measurement) }
      return times.isEmpty ? nil : [timing.title] + times.map(Quantity.time)
    }
    return rows.isEmpty ? "" : HTMLTable.text(head: Percentile.shown.map(\.name), rows: rows)
  }

  private static func settings(_ measurements: [LoadMeasurement], _ legend: RunLegend) -> String {
    let common = legend.common.map { setting in
      [setting.name] + measurements.map { _ in setting.value }
    }
    let rows = legend.differing.map { [$0.name] + $0.values } + common
    return rows.isEmpty ? "" : section("Settings", HTMLTable.text(head: heads(measurements), rows: rows))
  }

  private static func heads(_ measurements: [LoadMeasurement]) -> [String] {
    measurements.count > 1 ? measurements.indices.map(LoadPlots.letter) : ["value"]
  }

  private static func violations(_ measurements: [LoadMeasurement]) -> String {
    let items = measurements.enumerated().flatMap { index, run in
      run.violations.map { violation in
        let name = measurements.count > 1 ? "\(LoadPlots.letter(index)), " : ""
        let what = "\(name)connection \(violation.connection), seed \(run.seed): \(violation.description)"
        return "<li>\(HTMLText.escaped(what))\(trace(violation.trace))</li>"
      }
    }
    return items.isEmpty ? "" : section("Violations", "<ol>\(items.joined())</ol>")
  }

  private static func trace(_ lines: [String]) -> String {
    lines.isEmpty ? "" : "<pre>\(HTMLText.escaped(lines.joined(separator: "\n")))</pre>"
  }

  private static func section(_ title: String, _ content: String) -> String {
    "<section><h2>\(title)</h2>\n\(content)\n</section>"
  }
}
