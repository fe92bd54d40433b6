import Histogram
import Testing

@testable import LoadTest

@Suite struct LoadJSONTests {
  @Test func `what is written is read again, percentiles and all`() throws {
    var run = SampleRuns.full()
    run.seed = .max
    (run.abandoned, run.directStale) = (5, 6)
    run.failure = "reset \"by\" peer\n\u{1F600}"
    run.violationCount = 30
    run.violations = [LoadViolation(connection: 3, description: "stale", trace: ["sent 7", "é"])]
    run.errors[Int.max] = 1
    run.errors[-Int.max] = 1
    let bytes = LoadJSON.bytes(run)
    let again = try LoadJSON.read(bytes, file: "run.json")
    #expect(LoadJSON.bytes(again) == bytes)
    #expect(LoadText.lines(again) == LoadText.lines(run))
    #expect(again.failure == run.failure && again.violations == run.violations && again.seed == .max)
    #expect(again.abandoned == 5 && again.directStale == 6)
    for timing in LoadTiming.allCases {
      #expect(timing.histogram(of: again) == timing.histogram(of: run))
    }
  }

  @Test(arguments: [
    [], [0], [1], [3_600_000_000_000], [0, 0, 1_234_567], [1_000_003, 1_000_001],
    [5_000_001, 5_000_002, 5_000_003],
    [2_047, 2_048, 2_049], [999_999_999_999, 17, 17, 17],
  ])
  func `a histogram comes back with its smallest and largest value`(values: [UInt64]) throws {
    var run = LoadMeasurement()
    for value in values { run.staleness.record(value) }
    let again = try LoadJSON.read(LoadJSON.bytes(run), file: "").staleness
    #expect(again == run.staleness)
    #expect(again.maxRecorded == run.staleness.maxRecorded && again.min == run.staleness.min)
    for percent in stride(from: 0.0, through: 100, by: 2.5) {
      #expect(again.valueAtPercentile(percent) == run.staleness.valueAtPercentile(percent))
    }
  }

  @Test func `histograms that were read merge as those that were written`() throws {
    var (run, merged) = (SampleRuns.full(), SampleRuns.full().latency)
    let again = try LoadJSON.read(LoadJSON.bytes(run), file: "").latency
    run.latency.add(run.service)
    merged = again
    merged.add(run.service)
    #expect(merged == run.latency)
  }

  @Test func `white space around a report and members of a later version do not matter`() throws {
    let text = String(decoding: LoadJSON.bytes(SampleRuns.full()), as: UTF8.self)
    let more = "\n  " + text.replacing("{\"schema\"", with: "{\"new\":[{}],\"schema\"") + " \n"
    let again = try LoadJSON.read(Array(more.utf8), file: "")
    #expect(LoadText.lines(again) == LoadText.lines(SampleRuns.full()))
  }

  @Test func `a file that was cut is refused, wherever it was cut`() {
    let bytes = LoadJSON.bytes(SampleRuns.with(policy: "wait"))
    for count in Array(0..<600) + Array(stride(from: 600, to: bytes.count - 2, by: 997)) {
      #expect(throws: LoadFileError.self) { try LoadJSON.read(Array(bytes.prefix(count)), file: "") }
    }
  }

  @Test func `any byte that is changed is read or refused, and never traps`() {
    var run = LoadMeasurement()
    run.latency.record(5_000, count: 3)
    (run.results, run.intervals) = (3, [SampleRuns.interval(0)])
    let bytes = LoadJSON.bytes(run)
    var refusals = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
      for byte in [0x22, 0x2d, 0x39] as [UInt8] {
        var changed = bytes
        changed[index] = byte
        do { _ = LoadText.lines(try LoadJSON.read(changed, file: "")) } catch { refusals += 1 }
      }
    }
    #expect(refusals > bytes.count / 2)
  }

  @Test(arguments: [
    ("", "run.json:1:1: not valid JSON"), ("[]", "run.json: not a report: a report is a JSON object"),
    ("{\n  \"é\": no\n}", "run.json:2:9: not valid JSON"),
    ("7", "run.json: not a report: a report is a JSON object"),
    ("{}", "run.json: not a report of lastword load: \"schema\" is not \"lastword-load\""),
    ("{\"schema\":1}", "run.json: schema: expected a string, found a number"),
    ("{\"schema\":\"lastword-load\",\"version\":2}", "run.json: version: this program reads version 1"),
    (String(repeating: "[", count: 100_000), "run.json:1:129: not valid JSON"),
    ("{\"a\":" + String(repeating: "[", count: 100_000), "run.json:1:133: not valid JSON"),
  ])
  func `what is no report at all is refused`(text: String, message: String) {
    let error = #expect(throws: LoadFileError.self) { try LoadJSON.read(Array(text.utf8), file: "run.json") }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    ("\"sent\":1410", "\"sent\":\"1410\"", "sent: expected a whole number, found a string"),
    ("\"sent\":1410", "\"sent\":-1", "sent: expected a whole number up to 17592186044416"),
    ("\"sent\":1410", "\"sent\":1e3", "sent: expected a whole number up to 17592186044416"),
    (
      "\"sent\":1410", "\"sent\":99999999999999999999999",
      "sent: expected a whole number up to 17592186044416"
    ),
    ("\"sent\":1410", "\"sent\":1,\"sent\":2", "\"sent\" is there twice"),
    ("\"sent\":1410", "\"sent\":null", "sent: expected a whole number, found null"),
    ("\"sent\":1410,", "", "\"sent\" is missing"),
    ("\"seed\":\"7\"", "\"seed\":\"18446744073709551616\"", "seed: expected a number of 64 bits in a string"),
    ("\"name\":\"to\"", "\"name\":\"\\ud800\"", "settings[0].name: half a surrogate pair"),
    ("\"code\":17", "\"code\":-32082", "errors[1]: the code -32082 is there twice"),
    ("\"code\":17", "\"code\":9223372036854775808", "errors[1].code: expected a whole number of 64 bits"),
    ("\"stale\":0", "\"stale\":1", "the counts do not add up: more stale results than violations"),
    ("\"results\":1000", "\"results\":999", "the counts do not add up: more latencies than results"),
    ("[300000,400]", "[300000,401]", "histograms.supersededAfter: the counts do not add up to \"count\""),
    ("[300000,400]", "[300000,0]", "histograms.supersededAfter.nanosecondsAndCounts[0]: a count of nothing"),
    (
      "[300000,400]", "[300000]",
      "histograms.supersededAfter.nanosecondsAndCounts[0]: expected a value and its count"
    ),
    (
      "[300000,400]", "[300000,200],[300000,200]",
      "histograms.supersededAfter.nanosecondsAndCounts[1]: the values do not rise"
    ),
    (
      "[300000,400]", "[18446744073709551615,400]",
      "histograms.supersededAfter.nanosecondsAndCounts[0]: longer than can be recorded"
    ),
    (
      "[300000,400]", "[1,17592186044416],[2,17592186044416]",
      "histograms.supersededAfter.nanosecondsAndCounts[1]: more than can be counted"
    ),
    ("\"intervals\":[{", "\"intervals\":[7,{", "intervals[0]: expected an object, found a number"),
    (
      "\"startNanoseconds\":0", "\"startNanoseconds\":1000000000",
      "intervals[1]: does not begin after the interval before it"
    ),
    ("\"open\":3", "\"open\":true", "intervals[0].open: expected a whole number, found a boolean"),
  ])
  func `a value that is wrong is named`(old: String, new: String, message: String) {
    let text = String(decoding: LoadJSON.bytes(SampleRuns.full()), as: UTF8.self).replacing(
      old, with: new, maxReplacements: 1)
    let error = #expect(throws: LoadFileError.self) { try LoadJSON.read(Array(text.utf8), file: "run.json") }
    #expect(error?.description == "run.json: " + message)
  }
}
