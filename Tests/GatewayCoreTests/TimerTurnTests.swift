import GatewayCore
import Testing

/// Of what is due at the same time only so much happens before it is the turn of what has come.
@Suite struct TimerTurnTests {
  private func bench(
    timers: Int = 2, _ change: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.turnTimers = timers
    change(&configuration)
    return Bench(configuration)
  }

  private static let expired = "-32083"

  private func requests(_ ids: ClosedRange<Int>, _ task: String) -> String {
    ids.map { line("\($0)", task: task) }.joined()
  }

  private func ids(_ replies: [String]) -> [String] {
    replies.map { String($0.split(separator: #""id":"#)[1].prefix { $0.isNumber }) }
  }

  @Test func `others are served before all deadlines of a millisecond have passed`() {
    var bench = bench()
    let (crowd, honest) = (bench.connect(), bench.connect())
    bench.send(requests(1...5, #"{"timeoutMs":10}"#), from: crowd)
    bench.timePasses(10)
    bench.send(line("9", "lastword.ping"), from: honest)
    #expect(bench.heard(honest) == [result("9", "null")])
    #expect(bench.core.counters.expired == 2 && bench.core.isBehind)
    #expect(bench.core.nextDueMilliseconds == bench.core.nowMilliseconds)
    bench.timePasses(0)
    #expect(ids(bench.heard(crowd)) == ["1", "2", "3", "4"])
    bench.timePasses(0)
    #expect(ids(bench.heard(crowd)) == ["5"] && !bench.core.isBehind)
  }

  @Test func `one turn has room for one share, however often it looks at the clock`() {
    var bench = bench()
    let crowd = bench.connect()
    bench.send(requests(1...5, #"{"timeoutMs":10}"#), from: crowd)
    for _ in 0..<10 { bench.timePasses(1) }
    for _ in 0..<10 { bench.timePasses(1) }
    #expect(ids(bench.heard(crowd)) == ["1", "2"])
    bench.core.goOnWithTimers()
    #expect(ids(bench.heard(crowd)) == ["3", "4"])
  }

  @Test func `exactly as many as there is room for leave nothing behind`() {
    var bench = bench(timers: 5)
    let crowd = bench.connect()
    bench.send(requests(1...5, #"{"timeoutMs":10}"#), from: crowd)
    bench.timePasses(10)
    #expect(!bench.core.isBehind && bench.heard(crowd).count == 5)
  }

  @Test func `debounced requests that are due together start in their order, in turns`() {
    var bench = bench()
    let crowd = bench.connect()
    for id in 1...5 { bench.send(line("\(id)", task: #"{"key":"\#(id)","debounceMs":10}"#), from: crowd) }
    _ = bench.asked()
    bench.timePasses(10)
    #expect(bench.asked().count == 2)
    bench.timePasses(0)
    #expect(bench.asked().count == 2)
    bench.timePasses(0)
    #expect(bench.asked().count == 1 && !bench.core.isBehind)
  }

  @Test func `requests without any time are answered in later turns`() {
    var bench = bench()
    let crowd = bench.connect()
    bench.send(requests(1...3, #"{"timeoutMs":0}"#), from: crowd)
    #expect(ids(bench.heard(crowd)) == ["1", "2"] && bench.core.isBehind)
    bench.timePasses(0)
    #expect(ids(bench.heard(crowd)) == ["3"] && !bench.core.isBehind)
  }

  // MARK: Answers

  /// Three requests whose time is over, of which one is not told yet; the ids that upstream knows them by.
  private func late(_ bench: inout Bench, _ client: ClientID) -> [String] {
    bench.send(requests(1...3, #"{"timeoutMs":10}"#), from: client)
    let asked = ids(bench.asked())
    bench.timePasses(10)
    return asked
  }

  @Test func `no answer overtakes the deadline of its caller`() {
    var bench = bench()
    let client = bench.connect()
    let asked = late(&bench, client)
    bench.answer(result(asked[2], "1") + "\n")
    let heard = bench.heard(client)
    #expect(ids(heard) == ["1", "2", "3"] && heard.allSatisfy { $0.contains(Self.expired) }, "\(heard)")
    #expect(bench.core.counters.delivered == 0)
    bench.answer(result(asked[0], "1") + "\n" + result(asked[1], "1") + "\n")
    #expect(bench.heard(client) == [] && bench.core.leftovers == ["1 clients"])
  }

  @Test func `a connection that is lost meanwhile is told no cancels when it is there again`() {
    var bench = bench()
    let client = bench.connect()
    _ = late(&bench, client)
    bench.core.upstreamDisconnected(Bench.upstream)
    #expect(ids(bench.heard(client)) == ["1", "2", "3"] && bench.core.leftovers == ["1 clients"])
    bench.timePasses(1_000)
    bench.connectUpstreams()
    #expect(bench.asked() == [])
  }

  @Test func `a caller who has time left gets the answer that others wait for in vain`() {
    var bench = bench(timers: 1)
    let client = bench.connect()
    bench.send(line("0", task: #"{"timeoutMs":10}"#), from: client)
    let join = #","policy":"preferPrevious"}"#
    bench.send(line("1", task: #"{"key":"k","timeoutMs":10"# + join), from: client)
    bench.send(line("2", task: #"{"key":"k","timeoutMs":60"# + join), from: client)
    let asked = ids(bench.asked())
    bench.timePasses(10)
    bench.answer(result(asked[1], "7") + "\n")
    let heard = bench.heard(client)
    #expect(ids(heard) == ["0", "1", "2"] && heard[1].contains(Self.expired))
    #expect(heard[2] == result("2", "7"))
  }

  @Test func `nor does one that upstream gave too late`() {
    var bench = bench(timers: 1) { $0.answerMilliseconds = 10 }
    let client = bench.connect()
    bench.send(requests(1...3, "{}"), from: client)
    let asked = ids(bench.asked())
    bench.timePasses(10)
    bench.answer(result(asked[2], "1") + "\n")
    let heard = bench.heard(client)
    #expect(ids(heard) == ["1", "3"] && heard.allSatisfy { $0.contains(Self.expired) })
    bench.timePasses(0)
    #expect(ids(bench.heard(client)) == ["2"])
  }

  @Test func `what has waited too long for a connection is told in turns`() {
    var configuration = GatewayConfiguration()
    configuration.turnTimers = 2
    configuration.connectMilliseconds = 10
    var bench = Bench(configuration, connected: false)
    let client = bench.connect()
    bench.send(requests(1...3, "{}"), from: client)
    bench.timePasses(10)
    #expect(ids(bench.heard(client)) == ["1", "2"] && bench.core.isBehind)
    bench.timePasses(0)
    #expect(ids(bench.heard(client)) == ["3"] && !bench.core.isBehind)
  }
}
