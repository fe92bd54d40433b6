/// Shows a load run while it goes on: a picture redrawn in place or, off a terminal, a line for each interval.
package struct LoadLiveView {
  /// Intervals that the small curves go back.
  private static let intervalsKept = 60
  private static let fewestColumns = 40

  /// The terminal's, which may change while the run goes on; nil off a terminal.
  package var columns: Int?
  private let hasUnicode: Bool
  private let totalNanoseconds: UInt64
  private let write: (String) -> Void
  /// Of one run among several.
  private var title: String?
  private var intervals: [LoadInterval] = []
  private var drawnLines = 0

  /// - Parameter totalNanoseconds: how long the run is to take; 0 when that is not known.
  package init(
    columns: Int?, hasUnicode: Bool, totalNanoseconds: UInt64, write: @escaping (String) -> Void
  ) {
    self.columns = columns
    self.hasUnicode = hasUnicode
    self.totalNanoseconds = totalNanoseconds
    self.write = write
  }

  /// One of several runs begins.
  package mutating func begin(_ title: String) {
    self.title = title
    intervals = []
    if columns == nil { write(title + ":\n") }
  }

  /// An interval has ended.
  package mutating func add(_ interval: LoadInterval) {
    intervals.append(interval)
    if intervals.count > Self.intervalsKept { intervals.removeFirst() }
    guard let columns else { return write(line(interval) + "\n") }
    draw(columns)
  }

  /// Takes the picture away, so that the report can stand in its place.
  package mutating func clear() {
    guard drawnLines > 0 else { return }
    write("\u{1b}[\(drawnLines)A\r\u{1b}[J")
    drawnLines = 0
  }

  private mutating func draw(_ columns: Int) {
    let frame = frame(columns).map { String($0.prefix(columns)) }
    // A picture stays in its place as long as no line is so wide that the terminal breaks it.
    let up = drawnLines > 0 ? "\u{1b}[\(drawnLines)A\r" : ""
    write(up + frame.map { $0 + "\u{1b}[K\n" }.joined() + "\u{1b}[J")
    drawnLines = frame.count
  }

  private func frame(_ columns: Int) -> [String] {
    guard let last = intervals.last else { return [] }
    guard columns >= Self.fewestColumns else { return [line(last)] }
    let spark = Sparkline(hasUnicode: hasUnicode)
    let sparkColumns = min(Self.intervalsKept, columns - 22)
    let heading = title.map { [row("run", $0).trimmingEnd] } ?? []
    return heading + [
      progress(last, columns),
      row("rate", shown(Quantity.rate(last.perSecond)))
        + spark.text(intervals.map(\.perSecond), columns: sparkColumns),
      row("p99", shown(Quantity.time(last.p99Nanoseconds)))
        + spark.text(intervals.map { Double($0.p99Nanoseconds) }, columns: sparkColumns),
      "  " + figures(last).dropFirst().joined(separator: "   "),
    ]
  }

  private func row(_ name: String, _ value: String) -> String {
    "  " + name.padded(to: 6) + value.padded(to: 12)
  }

  private func progress(_ interval: LoadInterval, _ columns: Int) -> String {
    let elapsed = interval.startNanoseconds + interval.lengthNanoseconds
    guard totalNanoseconds > 0 else { return row("time", shown(Quantity.time(elapsed))).trimmingEnd }
    let ratio = min(1, Double(elapsed) / Double(totalNanoseconds))
    let width = min(Self.intervalsKept, columns - 36)
    let full = Int(ratio * Double(width))
    let bar =
      String(repeating: hasUnicode ? "█" : "#", count: full)
      + String(repeating: hasUnicode ? "░" : ".", count: width - full)
    let remaining = "of " + shown(Quantity.time(totalNanoseconds))
    return row("time", shown(Quantity.time(elapsed))) + bar + "  " + remaining
  }

  private func line(_ interval: LoadInterval) -> String {
    let elapsed = interval.startNanoseconds + interval.lengthNanoseconds
    let figures = [Quantity.time(elapsed), Quantity.rate(interval.perSecond)] + figures(interval)
    return shown(figures.joined(separator: "  "))
  }

  /// p99 first, and what is worth a word only when there is some of it at the end.
  private func figures(_ interval: LoadInterval) -> [String] {
    var figures = [
      "p99 \(Quantity.time(interval.p99Nanoseconds))", "p50 \(Quantity.time(interval.p50Nanoseconds))",
      "max \(Quantity.time(interval.maxNanoseconds))",
      "superseded \(Quantity.share(interval.superseded, of: interval.replies))",
      "errors \(Quantity.count(interval.errors))", "open \(Quantity.count(interval.open))",
    ]
    if interval.stale > 0 { figures.append("STALE \(Quantity.count(interval.stale))") }
    return figures.map(shown)
  }

  /// What a terminal without Unicode can show.
  private func shown(_ text: String) -> String {
    guard !hasUnicode else { return text }
    return String(text.map { $0 == "µ" ? "u" : $0 == "–" ? "-" : $0 })
  }
}

extension LoadInterval {
  var replies: UInt64 { results + superseded + cancelled + errors }

  var perSecond: Double { Double(replies) * 1e9 / Double(max(1, lengthNanoseconds)) }
}
