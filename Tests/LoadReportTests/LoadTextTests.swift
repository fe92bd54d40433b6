import Histogram
import Testing

@testable import LoadTest

@Suite struct LoadTextTests {
  @Test func `a run is told in full`() {
    let expected = """
        to            127.0.0.1:5278
        policy        cancel
        rate          705/s
        seed          7

        requests      1,412 intended, 1,410 sent, 2 unsent
        replies       1,410 in 2.00 s, 705/s
        results       1,000
        superseded    400 (28.4 %)
        errors        10 (0.71 %)
          17          1
          -32082      9  overloaded
        stale         0

                         p50       p90       p99     p99.9       max
        latency       500 µs    900 µs    990 µs    999 µs   1.00 ms
        service       250 µs    450 µs    495 µs    500 µs    500 µs
        superseded    300 µs    300 µs    300 µs    300 µs    300 µs
        staleness    2.00 ms   2.00 ms   2.00 ms   2.00 ms   2.00 ms
        cancel        150 µs    150 µs    150 µs    150 µs    150 µs
        client lag   5.00 µs   9.01 µs   9.90 µs   9.99 µs   10.0 µs

        upstream      1,400 requests, 1,000 computed, 390 cancelled, busy 5.00 s (summed over requests)
        direct        1,410 requests, 1,410 computed, 0 cancelled, busy 20.0 s (summed over requests)
        saved         410 of 1,410 computed (29.1 %), 15.0 s of 20.0 s busy (75.0 %)

        checks        one reply for each request, nothing stale, every answer its own
      """
    #expect(LoadText.lines(SampleRuns.full()).joined(separator: "\n") == expected)
  }

  @Test func `a run without anything says that nothing was checked`() {
    let lines = LoadText.lines(LoadMeasurement())
    #expect(lines.last == "  checks        nothing was checked")
    #expect(lines.contains("  replies       0 in 0 ns, 0/s"))
  }

  @Test func `a violation comes with what led to it and the seed to replay it`() {
    var run = SampleRuns.full()
    run.violationCount = 21
    run.violations = [
      LoadViolation(connection: 3, description: "a stale result", trace: ["sent 7", "sent 9\u{1b}[2J"])
    ]
    #expect(
      LoadText.lines(run).suffix(5) == [
        "  checks        21 violations", "  VIOLATION     connection 3: a stale result",
        "                sent 7", "                sent 9·[2J", "  replay        the same settings, seed 7",
      ])
  }

  @Test func `what was abandoned, and what went stale without a gateway, is told when there was some`() {
    var run = SampleRuns.full()
    (run.abandoned, run.directStale) = (12, 345)
    let lines = LoadText.lines(run)
    #expect(lines.contains("  abandoned     12"))
    #expect(lines.contains("                345 results that a newer one had overtaken"))
    #expect(LoadText.table([run, SampleRuns.full()]).contains { $0.hasPrefix("  stale when direct") })
  }

  @Test func `a lost connection is what the checks say`() {
    var run = SampleRuns.full()
    run.failure = "connection 4: reset"
    #expect(LoadText.lines(run).last == "  checks        FAILED: connection 4: reset")
  }

  @Test func `a client that sends late says that the figures are its own`() {
    var run = SampleRuns.full()
    #expect(ClientLimit.warning(run) == nil)
    run.lag.record(200_000, count: 500)
    #expect(
      ClientLimit.warning(run)
        == "This client itself sent late, by 200 µs at p99: latency shows that as well, not the server alone. "
        + "Compare service, or ask for less.")
    run.unsent = 100
    #expect(ClientLimit.warning(run)?.hasPrefix("This client could not send 7.08 % of what was due") == true)
  }

  @Test func `a gateway that costs more than it saves is told so`() {
    var run = SampleRuns.full()
    run.upstream?.computed = 1_551
    #expect(LoadSavings(run)?.line.hasPrefix("-141 of 1,410 computed (-10.0 %)") == true)
    run.direct = LoadMeasurement.UpstreamWork()
    #expect(LoadSavings(run)?.computedRatio == nil)
  }

  @Test func `runs stand side by side under the settings in which they differ`() {
    var other = SampleRuns.with(policy: "wait")
    (other.results, other.superseded, other.unsent) = (1_400, 0, 0)
    let lines = LoadText.table([SampleRuns.full(), other])
    #expect(
      lines.prefix(9) == [
        "  to            127.0.0.1:5278", "  rate          705/s", "  seed          7", "",
        "  policy                       cancel      wait", "",
        "  intended                      1,412     1,412", "  sent                          1,410     1,410",
        "  unsent                            2         –",
      ])
    #expect(lines.contains("  superseded of replies        28.4 %       0 %"))
    #expect(!lines.contains { $0.contains("cancelled ") && !$0.contains("upstream") })
    #expect(lines.contains("  error -32082 (overloaded)         9         9"))
    #expect(lines.last == "  checks                        right     right")
  }

  @Test func `runs that differ in nothing are numbered`() {
    #expect(LoadText.table([SampleRuns.full(), SampleRuns.full()]).contains { $0.hasPrefix("  run ") })
    #expect(LoadText.table([]) == [])
  }

  @Test func `what the client took back itself is no error`() {
    var run = SampleRuns.full()
    (run.cancelled, run.errors) = (100, [:])
    let lines = LoadText.lines(run)
    #expect(lines.contains("  cancelled     100 (6.67 %)"))
    #expect(lines.contains("  errors        0"))
  }

  @Test func `what was held back is the answers' fault, whatever else there was`() {
    var run = SampleRuns.full()
    (run.unsent, run.heldBack) = (1_000, 1_100)
    #expect(LoadText.lines(run).contains { $0.contains("77.9 % of what was due was held back") })
    run.heldBack = 5
    #expect(LoadText.lines(run).contains { $0.contains("This client could not send 70.8 %") })
  }
}
