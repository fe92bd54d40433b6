import GatewayCore
import TaskStore
import Testing

/// Several endpoints that do the same work: who gets a request, and who gets none for a while.
@Suite struct EndpointTests {
  private func bench(
    _ endpoints: Int, _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].endpoints = endpoints
    adjust(&configuration)
    return Bench(configuration)
  }

  private func request(_ id: Int, _ method: String = "m") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
  }

  @Test func `equals share the work in turn`() {
    var bench = bench(3)
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    #expect(
      bench.sent() == [
        "0: \(request(1))", "0: \(request(4))", "1: \(request(2))", "2: \(request(3))",
      ])
  }

  @Test func `a request goes to the endpoint with the least in flight`() {
    var bench = bench(2)
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    _ = bench.sent()
    bench.answer(result("2", "0") + "\n" + result("4", "0") + "\n", from: UpstreamID(slot: 1))
    for id in 5...6 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent() == ["1: \(request(5))", "1: \(request(6))"])
  }

  @Test func `an answer counts only from the endpoint that was asked`() {
    var bench = bench(2)
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.sent()
    bench.answer(result("1", "0") + "\n", from: UpstreamID(slot: 1))
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.droppedUnknown == 1)
  }

  @Test func `when one endpoint is lost its requests fail and the other gets what comes`() {
    var bench = bench(2)
    let client = bench.connect()
    for id in 1...2 { bench.send(line("\(id)"), from: client) }
    _ = bench.sent()
    bench.core.upstreamDisconnected(UpstreamID(slot: 0))
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":1,"error":{"code":-32084"#))
    bench.send(line("3"), from: client)
    #expect(bench.sent() == ["1: \(request(3))"])
  }

  @Test func `beyond the bound requests wait here, and go when one ends`() {
    var bench = bench(2) {
      $0.inFlightPerEndpoint = 1
      $0.upstreams[0].inFlightPerConnection = 2
    }
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent() == ["0: \(request(1))", "1: \(request(2))"])
    bench.answer(result("2", "0") + "\n", from: UpstreamID(slot: 1))
    #expect(bench.sent() == ["1: \(request(3))"])
  }

  @Test func `what was cancelled and has not ended still counts as in flight`() {
    var bench = bench(1) { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    #expect(bench.asked().count == 2)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked() == [request(2)])
  }

  @Test func `what waits goes by its route's priority, then by age`() {
    var bench = bench(1) {
      $0.inFlightPerEndpoint = 1
      var high = Route(method: "high")
      high.priority = 9
      var low = Route(method: "low")
      low.priority = 0
      $0.routes = [high, low]
    }
    let client = bench.connect()
    for (id, method) in [(1, "m"), (2, "low"), (3, "m"), (4, "high"), (5, "m"), (6, "high")] {
      bench.send(line("\(id)", method), from: client)
    }
    var order: [String] = bench.asked()
    for id in [1, 4, 6, 3, 5] {
      bench.answer(result("\(id)", "0") + "\n")
      order += bench.asked()
    }
    #expect(
      order == [
        request(1), request(4, "high"), request(6, "high"), request(3), request(5), request(2, "low"),
      ])
  }

  @Test func `an older request that starts late goes before younger ones that wait`() {
    var bench = bench(1) { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(line("2", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(line("3") + line("4"), from: client)
    #expect(bench.asked() == [request(1)])
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked() == [request(2)])
  }

  @Test func `only so many wait, the next one is told`() {
    var bench = bench(1) {
      $0.inFlightPerEndpoint = 1
      $0.waitingPerUpstream = 2
    }
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":4,"error":{"code":-32082"#))
  }

  @Test func `an upstream's own bounds count before those of all`() {
    var bench = bench(1) {
      $0.upstreams[0].inFlightPerEndpoint = 1
      $0.upstreams[0].waitingRequests = 1
    }
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)"), from: client) }
    #expect(bench.asked() == [request(1)])
    #expect(bench.heard(client).count == 1)
  }

  // MARK: Circuit breaker

  /// An answer that is none.
  private func nonsense(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":1,"error":{}}"# + "\n"
  }

  @Test func `an endpoint that fails too often in a row gets nothing for a while, and then one request`() {
    var bench = bench(2) { $0.failuresInARow = 2 }
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    _ = bench.sent()
    bench.answer(nonsense(1) + nonsense(3))
    for id in 5...8 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent() == (5...8).map { "1: \(request($0))" })
    bench.timePasses(50)
    for id in 9...10 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent() == ["0: \(request(9))", "1: \(request(10))"])
    bench.answer(result("9", "0") + "\n")
    for id in 11...12 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent() == ["0: \(request(11))", "0: \(request(12))"])
  }

  @Test func `an endpoint whose half-open circuit sees a failure gets nothing again, for longer`() {
    var bench = bench(2) { $0.failuresInARow = 1 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.sent()
    var pauses: [UInt64] = []
    for id in stride(from: 1, to: 13, by: 2) {
      bench.answer(nonsense(id))
      bench.core.upstreamDisconnected(UpstreamID(slot: 1))
      bench.send(line("\(id + 1)", "waits"), from: client)
      _ = bench.sent()
      let begin = bench.core.nowMilliseconds
      while bench.sent().isEmpty { bench.timePasses(1) }
      pauses.append(bench.core.nowMilliseconds - begin)
      bench.answer(result("\(id + 1)", "0") + "\n")
      break
    }
    #expect(pauses.allSatisfy { (25...50).contains($0) })
  }

  @Test func `the only endpoint is asked again, however often its answers were none`() {
    var bench = bench(1) { $0.failuresInARow = 1 }
    let client = bench.connect()
    for id in 1...3 {
      bench.send(line("\(id)"), from: client)
      #expect(bench.asked() == [request(id)])
      bench.answer(nonsense(id))
    }
  }

  // MARK: Time

  @Test func `an answer that takes too long is given up as if the caller's time were over`() {
    var bench = bench(1) { $0.answerMilliseconds = 100 }
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    _ = bench.asked()
    #expect(bench.core.nextDueMilliseconds == 1_100)
    bench.timePasses(99)
    #expect(bench.heard(client) == [])
    bench.timePasses(1)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32083") && heard[0].contains("cancelSent"))
    #expect(bench.asked().filter { $0.contains("$/cancelRequest") }.count == 1)
    #expect(bench.core.counters.expired == 1)
  }

  @Test func `an attempt to connect that takes too long is given up`() {
    var configuration = GatewayConfiguration()
    configuration.attemptMilliseconds = 300
    var bench = Bench(configuration, connected: false)
    _ = bench.asked()
    bench.timePasses(299)
    _ = bench.asked()
    #expect(bench.sink.disconnects == 0)
    bench.timePasses(1)
    _ = bench.asked()
    #expect(bench.sink.disconnects == 1)
    bench.timePasses(50)
    _ = bench.asked()
    #expect(bench.sink.connects == 2)
  }
}
