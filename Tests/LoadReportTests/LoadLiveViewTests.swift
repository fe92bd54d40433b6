import Testing

@testable import LoadTest

@Suite struct LoadLiveViewTests {
  private final class Output {
    var texts: [String] = []
  }

  /// Ten intervals of 700, 1,400, … requests a second.
  private func shown(columns: Int?, hasUnicode: Bool = true, totalSeconds: UInt64 = 20) -> [String] {
    let output = Output()
    var view = LoadLiveView(
      columns: columns, hasUnicode: hasUnicode, totalNanoseconds: totalSeconds * 1_000_000_000
    ) { output.texts.append($0) }
    for index in 0..<10 as Range<UInt64> {
      var interval = SampleRuns.interval(index)
      interval.results = 500 * (index + 1)
      interval.p99Nanoseconds = 990_000 * (10 - index)
      view.add(interval)
    }
    view.clear()
    return output.texts
  }

  @Test func `off a terminal each interval is a plain line`() {
    let texts = shown(columns: nil)
    #expect(texts.count == 10)
    #expect(
      texts[0] == "1.00 s  705/s  p99 9.90 ms  p50 500 µs  max 1.00 ms  superseded 28.4 %  errors 5  open 3\n"
    )
    #expect(texts.allSatisfy { !$0.contains("\u{1b}") })
  }

  @Test func `on a terminal the picture is drawn in place of the last one`() {
    let texts = shown(columns: 80)
    let picture = """
        time  10.0 s      ██████████████████████░░░░░░░░░░░░░░░░░░░░░░  of 20.0 s
        rate  5,205/s     ▂▂▃▄▅▅▆▇██
        p99   990 µs      ██▇▆▅▅▄▃▂▁
        p50 500 µs   max 1.00 ms   superseded 3.84 %   errors 5   open 3
      """
    let lines = texts[9].split(separator: "\n").map { $0.replacing("\u{1b}[K", with: "") }
    #expect(texts[0].hasPrefix("  time  1.00 s"))
    #expect(texts[9].hasPrefix("\u{1b}[4A\r") && texts[9].hasSuffix("\u{1b}[K\n\u{1b}[J"))
    #expect(lines.prefix(4).map { $0.replacing("\u{1b}[4A\r", with: "") }.joined(separator: "\n") == picture)
    #expect(texts.last == "\u{1b}[4A\r\u{1b}[J")
  }

  @Test(arguments: [0, 1, 20, 39, 40, 60, 500])
  func `no line is wider than the terminal`(columns: Int) {
    for text in shown(columns: columns) {
      for line in text.replacing("\u{1b}[K", with: "").split(separator: "\n") where !line.contains("\u{1b}") {
        #expect(line.count <= columns)
      }
    }
  }

  @Test func `a terminal without Unicode gets ASCII only`() {
    #expect(shown(columns: 80, hasUnicode: false).allSatisfy { $0.allSatisfy(\.isASCII) })
  }

  @Test func `a run of unknown length has no progress, and one that takes longer is done`() {
    #expect(shown(columns: 80, totalSeconds: 0)[0].hasPrefix("  time  1.00 s\u{1b}[K\n"))
    #expect(!shown(columns: 80, totalSeconds: 3)[9].contains("░"))
  }

  @Test func `each of several runs has its name`() {
    let output = Output()
    var view = LoadLiveView(columns: nil, hasUnicode: true, totalNanoseconds: 0) { output.texts.append($0) }
    view.begin("wait")
    view.add(SampleRuns.interval(0))
    #expect(output.texts[0] == "wait:\n")
    view.columns = 80
    view.begin("cancel")
    view.add(SampleRuns.interval(0))
    #expect(output.texts[2].hasPrefix("  run   cancel\u{1b}[K\n  time"))
    #expect(output.texts.count == 3)
  }

  @Test func `stale results are shouted`() {
    let output = Output()
    var view = LoadLiveView(columns: nil, hasUnicode: true, totalNanoseconds: 0) { output.texts.append($0) }
    var interval = SampleRuns.interval(0)
    interval.stale = 2
    view.add(interval)
    #expect(output.texts[0].hasSuffix("  open 3  STALE 2\n"))
  }

  @Test func `a sparkline has the highest block for the largest number`() {
    let spark = Sparkline(hasUnicode: true)
    #expect(spark.text([0, 1, 2, 3, 4, 5, 6, 7, 8], columns: 60) == "▁▂▃▄▅▆▇██")
    #expect(spark.text([0, 0], columns: 60) == "▁▁")
    #expect(spark.text([1, 2, 3], columns: 2) == "▆█")
    #expect(spark.text([], columns: 60) == "" && spark.text([1], columns: -1) == "")
  }
}
