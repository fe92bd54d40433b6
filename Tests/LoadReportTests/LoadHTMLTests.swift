import Histogram
import Testing

@testable import LoadTest

@Suite struct LoadHTMLTests {
  private let hostile = "</title><script>alert('1')</script>\"&\u{0}\u{1b}"

  private func violating() -> LoadMeasurement {
    var run = SampleRuns.with(policy: hostile)
    run.failure = hostile
    run.violationCount = 1
    run.violations = [LoadViolation(connection: 3, description: hostile, trace: [hostile, "sent 9"])]
    return run
  }

  /// The tags in their order, without what stands in them.
  private func tags(_ page: String) -> [Substring] {
    page.split(separator: "<").dropFirst().map { $0.prefix { $0.isLetter || $0 == "/" || $0.isNumber } }
  }

  @Test func `a page needs nothing from elsewhere`() {
    let page = LoadHTML.page([SampleRuns.full(), SampleRuns.with(policy: "wait")])
    for word in ["http", "src=", "href=", "@import", "url(", "<script", "<link", "<img", "<use"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test func `what came from outside stays text`() {
    for page in [LoadHTML.page([violating()]), LoadHTML.page([violating(), SampleRuns.full()])] {
      #expect(!page.contains("<script") && !page.contains("\u{0}") && !page.contains("\u{1b}"))
      #expect(page.contains("&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;··"))
      #expect(page.contains("connection 3, seed 7"))
    }
  }

  @Test func `every element that is opened is closed`() {
    for runs in [[LoadMeasurement()], [violating()], [violating(), SampleRuns.full(), LoadMeasurement()]] {
      var open: [Substring] = []
      for tag in tags(LoadHTML.page(runs)) where !["meta", "path", ""].contains(tag) {
        if tag.first == "/" {
          #expect(open.popLast() == tag.dropFirst())
        } else {
          open.append(tag)
        }
      }
      #expect(open.isEmpty)
    }
  }

  @Test func `every plot has a title and a description, under names of its own`() {
    let page = LoadHTML.page([SampleRuns.full(), SampleRuns.with(policy: "wait")])
    let names = page.split(separator: "id=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
    #expect(page.split(separator: "<svg").count == 6)
    #expect(names.count == 10 && Set(names).count == 10)
    #expect(page.split(separator: "<desc").count == 6)
  }

  @Test func `runs go by letters that the legend explains`() {
    let page = LoadHTML.page([SampleRuns.full(), SampleRuns.with(policy: "wait")])
    #expect(page.contains("<li class=\"c0\"><b>A</b> cancel</li><li class=\"c1\"><b>B</b> wait</li>"))
    #expect(page.contains("<th scope=\"col\">A</th><th scope=\"col\">B</th>"))
    #expect(LoadPlots.letter(25) == "Z" && LoadPlots.letter(26) == "A2")
  }

  @Test func `a run without anything is a page without plots`() {
    let page = LoadHTML.page([LoadMeasurement()])
    #expect(!page.contains("<svg") && page.contains("nothing checked"))
    #expect(LoadHTML.page([]).contains("</html>"))
  }

  @Test func `long runs make pages of bounded size, and their worst still shows`() {
    var run = SampleRuns.full()
    run.intervals = (0..<20_000).map { SampleRuns.interval($0) }
    run.intervals[7_777].p99Nanoseconds = 77_000_000
    let merged = LoadInterval.merged(run.intervals, upTo: 240)
    #expect(merged.count <= 240 && merged.contains { $0.p99Nanoseconds == 77_000_000 })
    #expect(merged.reduce(0) { $0 + $1.results } == 500 * 20_000)
    #expect(merged.last?.endSeconds == 20_000)
    #expect(LoadHTML.page([run]).utf8.count < 60_000)
  }

  @Test func `an end too short for a rate of its own belongs to the interval before it`() {
    var run = SampleRuns.full()
    run.intervals = (0..<5).map { SampleRuns.interval($0) }
    run.intervals[4].lengthNanoseconds = 499_999_999
    let merged = LoadInterval.merged(run.intervals, upTo: 240)
    #expect(merged.map(\.results) == [500, 500, 500, 1000])
    #expect(merged.last?.lengthNanoseconds == 1_499_999_999)
    run.intervals[4].lengthNanoseconds = 500_000_000
    #expect(LoadInterval.merged(run.intervals, upTo: 240).count == 5)
    #expect(LoadInterval.merged([run.intervals[4]], upTo: 240).count == 1)
  }

  @Test func `no coordinate leaves the plot, whatever was measured`() {
    var run = SampleRuns.full()
    for index in run.intervals.indices {
      run.intervals[index].p50Nanoseconds = index == 0 ? 0 : ReportBounds.nanoseconds
      run.intervals[index].maxNanoseconds = ReportBounds.nanoseconds
      run.intervals[index].results = ReportBounds.count
      run.intervals[index].lengthNanoseconds = index == 0 ? 0 : 1
    }
    run.latency.record(0)
    let page = LoadHTML.page([run])
    #expect(!page.contains("nan") && !page.contains("inf"))
  }

  @Test func `a distribution ends with the largest value, however rare`() throws {
    var run = SampleRuns.full()
    run.latency.record(50_000_000)
    let figures = LoadPlots([run]).figures
    let plot = try #require(figures.first { $0.plot.id == "latency-percentiles" }).plot
    #expect(plot.curves.map(\.label) == ["latency", "service"])
    #expect(plot.curves[0].points.last?.y == 50_000_000)
    #expect(
      zip(plot.curves[0].points, plot.curves[0].points.dropFirst()).allSatisfy {
        $0.x <= $1.x && $0.y <= $1.y
      })
  }

  @Test func `a single sample is a distribution, too`() {
    var run = LoadMeasurement()
    run.staleness.record(5_000)
    #expect(LoadPlots([run]).figures.map(\.caption) == ["Staleness by percentile"])
  }

  @Test(arguments: [
    (0, "1970-01-01 00:00 UTC"), (951_782_400, "2000-02-29 00:00 UTC"),
    (1_709_251_199, "2024-02-29 23:59 UTC"),
    (1_735_689_600, "2025-01-01 00:00 UTC"), (253_402_300_799, "9999-12-31 23:59 UTC"),
  ])
  func `a moment is told by the calendar`(seconds: UInt64, text: String) {
    #expect(UTCDate.text(seconds) == text)
  }

  @Test func `ticks are round numbers`() {
    #expect(
      PlotAxis.linear(upTo: 705) { Quantity.tick($0) }.ticks.map(\.label) == [
        "0", "200", "400", "600", "800",
      ])
    #expect(PlotAxis.linear(upTo: 61_234) { Quantity.tick($0) }.ticks.map(\.label).last == "80 k")
    #expect(PlotAxis.linear(upTo: 0) { Quantity.tick($0) }.ticks.last?.label == "1")
    #expect(PlotAxis.time(upTo: 2).ticks.map(\.label) == ["0 s", "0.5 s", "1 s", "1.5 s", "2 s"])
    #expect(
      PlotAxis.logarithmic([1_500, 800_000]).ticks.map(\.label) == ["1 µs", "10 µs", "100 µs", "1 ms"])
    #expect(
      PlotAxis.logarithmic([250_000, 900_000]).ticks.map(\.label) == ["200 µs", "500 µs", "1 ms", "2 ms"])
    #expect(PlotAxis.percentiles(samples: 1_000).ticks.map(\.label) == ["0", "90", "99", "99.9"])
  }
}
