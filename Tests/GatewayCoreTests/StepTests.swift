import GatewayCore
import HotData
import TaskStore
import Testing

#if DEBUG
/// What a message costs does not depend on what others have in the same lane, or under an id that looks alike.
@Suite struct StepTests {
  private static func bench() -> Bench {
    var configuration = GatewayConfiguration()
    configuration.unansweredPerConnection = 100_000
    configuration.store.orphansPerLane = 100_000
    return Bench(configuration)
  }

  /// The steps of a message of a client, once another has been served.
  private static func steps(of message: String, _ bench: inout Bench, from client: ClientID) -> Int {
    let before = StepMeter.steps
    bench.send(message, from: client)
    return StepMeter.steps - before
  }

  private func expectSame(
    _ steps: (Int) -> Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (few, many) = (steps(10), steps(3_000))
    // A heap of timers is as deep as the logarithm of their number.
    #expect(many <= few + 60, sourceLocation: sourceLocation)
  }

  private static func cancelRequest(_ id: String) -> String {
    #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n"
  }

  @Test func `a string is found beside any number of requests whose id is the number in it`() {
    expectSame { count in
      var bench = Self.bench()
      let client = bench.connect()
      // From the first cancel on its requests are found by their ids.
      bench.send(Self.cancelRequest("0") + line(#""7""#), from: client)
      for _ in 0..<count { bench.send(line("7"), from: client) }
      let steps = Self.steps(of: Self.cancelRequest(#""7""#), &bench, from: client)
      #expect(bench.heard(client).count == 1)
      return steps
    }
  }

  /// The steps of one client's message beside another's requests under the same key, all of which drain.
  private static func steps(of message: String, besideDraining count: Int, replies: Int = 1) -> Int {
    var bench = bench()
    let (crowd, client) = (bench.connect(), bench.connect())
    for number in 1...count {
      bench.send(line("\(number)", task: #"{"key":"k","policy":"concurrent","drainMs":60000}"#), from: crowd)
    }
    bench.send(line("0", "lastword.cancel", params: #"{"key":"k"}"#), from: crowd)
    bench.send(cancelRequest("0") + line("1", task: #"{"key":"k","policy":"concurrent"}"#), from: client)
    let steps = steps(of: message, &bench, from: client)
    #expect(bench.heard(client).count == replies)
    return steps
  }

  @Test func `a key is cancelled for what lives there, not for what drains`() {
    let message = line("2", "lastword.cancel", params: #"{"key":"k"}"#)
    expectSame { Self.steps(of: message, besideDraining: $0, replies: 2) }
  }

  @Test func `so is a request by its id`() {
    expectSame { Self.steps(of: Self.cancelRequest("1"), besideDraining: $0) }
  }

  @Test func `a request supersedes what lives there`() {
    expectSame { Self.steps(of: line("2", task: #"{"key":"k"}"#), besideDraining: $0) }
  }

  @Test func `one that may join looks at what lives there`() {
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    expectSame { Self.steps(of: line("2", task: task), besideDraining: $0, replies: 0) }
  }

  @Test func `a POST that ends costs what it is, not what others there are of its session`() {
    expectSame { count in
      var bench = Self.bench()
      let posts = (0..<count).compactMap { _ in bench.core.clientConnected(listener: 0, as: .exchange) }
      #expect(posts.count == count)
      for post in posts { bench.core.name(post, session: Array("one".utf8)) }
      let before = StepMeter.steps
      bench.core.clientDisconnected(posts[count / 2])
      return StepMeter.steps - before
    }
  }

  // MARK: Making room

  @Test func `who is closed to make room costs what it has, not what others have in batches`() {
    expectSame { count in
      var configuration = GatewayConfiguration()
      configuration.memoryBytes = 4_000_000
      var bench = Bench(configuration)
      let (crowd, client) = (bench.connect(), bench.connect())
      let pair = "[\(line("1").dropLast()),\(line("2").dropLast())]\n"
      for _ in 0..<count { bench.send(pair, from: crowd) }
      let body = "\"" + String(repeating: "x", count: 3_100_000) + "\""
      bench.send(pair, from: client)
      let id = bench.asked().last?.split(separator: #""id":"#)[1].prefix { $0.isNumber } ?? ""
      let before = StepMeter.steps
      bench.answer(result(String(id), body) + "\n")
      let steps = StepMeter.steps - before
      #expect(bench.core.counters.clientsClosedForRoom == 1)
      return steps
    }
  }

  @Test func `one walk over all clients makes room for a sixteenth of the bound`() {
    let count = 3_000
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = count * 1_024 / 3 * 4
    var bench = Bench(configuration)
    let half = "{" + String(repeating: " ", count: 900)
    func sendHalf(_ bench: inout Bench, by clients: Int) {
      for _ in 0..<clients {
        bench.send(half, from: bench.connect())
        bench.core.flush(into: &bench.sink)
      }
    }
    while bench.sink.closed.isEmpty { sendHalf(&bench, by: 1) }
    let (before, closed) = (StepMeter.steps, bench.sink.closed.count)
    sendHalf(&bench, by: 100)
    #expect(closed > 100 && bench.sink.closed.count == closed)
    #expect(StepMeter.steps - before < count * 10)
  }

  @Test func `one walk over all that ask makes room for a sixteenth of what they may`() {
    let count = 3_000
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = count * 300 * 4
    var bench = Bench(configuration, connected: false)
    func ask(_ byteCount: Int, _ bench: inout Bench) {
      let client = bench.connect()
      let params = "[" + String(repeating: "1", count: byteCount) + "]"
      bench.send(line("1", params: params, task: #"{"key":"\#(client.slot)"}"#), from: client)
      bench.core.flush(into: &bench.sink)
    }
    while bench.core.requestByteCount + 300 <= count * 300 { ask(290, &bench) }
    while bench.sink.closed.isEmpty { ask(100, &bench) }
    let (before, closed) = (StepMeter.steps, bench.sink.closed.count)
    for _ in 0..<100 { ask(100, &bench) }
    #expect(closed > 100 && bench.sink.closed.count == closed)
    #expect(StepMeter.steps - before < count * 10)
  }
}
#endif
