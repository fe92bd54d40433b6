import Histogram
import Testing

@testable import LoadTest

@Suite struct FailureRuleTests {
  @Test(arguments: [
    ("p99>20ms", false), ("p99>900us", true), ("p99 >= 900 µs", true), ("max<2ms", true), ("max>1s", false),
    ("p99.9>0.5ms", true), ("latency.p50>400000ns", true), ("service.p99>600us", false),
    ("superseded.p50>200us", true), ("staleness.p99>1ms", true), ("cancel.p99>1ms", false),
    ("lag.max>1ms", false), ("rate<50000", true), ("rate<100", false), ("stale>0", false), ("stale>=0", true),
    ("errors>1%", false), ("errors>0.5%", true), ("errors>9", true), ("superseded<10%", false),
    ("superseded<30%", true), ("unsent>0", true), ("unsent>1%", false), ("violations>0", false),
    ("results<=1000", true), ("cancelled>0", false),
  ])
  func `a rule is broken when what it says holds`(text: String, isBroken: Bool) throws {
    let rule = try FailureRule(text)
    #expect(rule.isBroken(by: SampleRuns.full()) == isBroken)
  }

  @Test(arguments: ["p99>1s", "p99<1s", "cancel.p99>1s", "errors>1%", "unsent<5%", "max<=1s"])
  func `what was not measured breaks its rule`(text: String) throws {
    let rule = try FailureRule(text)
    #expect(rule.isBroken(by: LoadMeasurement()))
    #expect(rule.line(for: LoadMeasurement()) == "BROKEN: fails if \(text), it was not measured")
  }

  @Test func `a count of nothing is zero, which is measured`() throws {
    #expect(try !FailureRule("violations>0").isBroken(by: LoadMeasurement()))
    #expect(try FailureRule("rate<1").isBroken(by: LoadMeasurement()))
  }

  @Test func `a rule says the measured value in the unit that fits`() throws {
    let run = SampleRuns.full()
    let line = try FailureRule("p99 > 20 ms").line(for: run)
    #expect(line == "kept: fails if p99>20ms, it was 990 µs")
    #expect(try FailureRule("errors>0.5%").line(for: run) == "BROKEN: fails if errors>0.5%, it was 0.71 %")
    #expect(
      try FailureRule("superseded>=400").line(for: run) == "BROKEN: fails if superseded>=400, it was 400")
    #expect(try FailureRule("rate<1000").line(for: run) == "BROKEN: fails if rate<1000, it was 705/s")
  }

  @Test(arguments: [
    ("", 1, "begins with"), ("p98x>1ms", 1, "begins with"), ("p101>1ms", 1, "begins with"),
    ("p>1ms", 1, "begins with"), ("p99..9>1s", 1, "begins with"), ("latency.errors>1", 1, "begins with"),
    ("p99", 4, "followed by"), ("p99=20ms", 4, "followed by"), ("p99>ms", 5, "a number"),
    ("p99>-1ms", 5, "a number"), ("p99>1.ms", 5, "a number"), ("p99>1e3ms", 6, "units"),
    ("p99>20", 7, "units"), ("p99>20 m", 8, "units"), ("p99>20%", 7, "units"), ("p99>20ms 1", 7, "units"),
    ("rate<5%", 7, "without a unit"), ("rate<5ms", 7, "without a unit"), ("errors>1s", 9, "percentage"),
    ("violations>1%", 13, "without a unit"), ("max>9999999999999999s", 5, "at most 15"),
    ("p99>٣ms", 5, "a number"), ("stale>0\u{301}", 7, "a number"),
  ])
  func `what is no rule is refused where it goes wrong`(text: String, column: Int, expected: String) {
    let error = #expect(throws: FailureRuleError.self) { try FailureRule(text) }
    #expect(error?.column == column)
    #expect(error?.expected.contains(expected) == true)
  }

  @Test func `a refusal says what is allowed`() {
    let error = #expect(throws: FailureRuleError.self) { try FailureRule("p99>20") }
    #expect(
      error?.description == "\"p99>20\" is no rule: at its end, column 7: "
        + "a time needs one of the units ns, us, µs, ms, s, and nothing after it")
  }
}
