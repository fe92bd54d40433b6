import GatewayCore
import TaskStore
import Testing

/// What one client connection may have in flight at an upstream that others share.
@Suite struct AllotmentTests {
  /// - Parameter share: of one connection.
  private func configuration(
    inFlight: Int, share: Int? = nil, _ set: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.inFlightPerEndpoint = inFlight
    configuration.upstreams[0].inFlightPerConnection = share
    set(&configuration)
    return configuration
  }

  private func cancel(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n"
  }

  /// The methods that upstream was asked since this was last looked at.
  private func asked(_ bench: inout Bench) -> [Substring] {
    bench.asked().compactMap { $0.firstMatch(of: /"id":\d+,"method":"(\w+)"/)?.1 }
  }

  private func send(_ methods: String..., to bench: inout Bench, from client: ClientID) {
    for (index, method) in methods.enumerated() { bench.send(line("\(index)", method), from: client) }
  }

  // MARK: How much

  @Test(arguments: [
    (1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 1, 3), (5, 1, 3), (16, 1, 12), (1, 2, 1), (2, 2, 3), (1, 4, 3),
  ])
  func `three quarters of what all endpoints work on, and 1 at least`(
    inFlight: Int, endpoints: Int, share: Int
  ) {
    var bench = Bench(configuration(inFlight: inFlight) { $0.upstreams[0].endpoints = endpoints })
    let (greedy, other) = (bench.connect(), bench.connect())
    for id in 1...20 { bench.send(line("\(id)"), from: greedy) }
    #expect(bench.sent().count == share)
    bench.send(line("1"), from: other)
    #expect(bench.sent().count == (share < inFlight * endpoints ? 1 : 0))
  }

  @Test(arguments: [1, 2, 4]) func `as much as the upstream's own bound says`(share: Int) {
    var bench = Bench(configuration(inFlight: 4, share: share))
    let client = bench.connect()
    for id in 1...5 { bench.send(line("\(id)"), from: client) }
    #expect(bench.asked().count == share)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked().count == 1)
  }

  @Test func `an upstream of a connection's own is all for that`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams[0].inFlightPerEndpoint = 4
      $0.upstreams[0].inFlightPerConnection = 1
    }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.connectUpstreams()
    for id in 2...6 { bench.send(line("\(id)"), from: client) }
    #expect(bench.sent().count == 4)
  }

  @Test func `at each upstream a connection has another share`() {
    var bench = Bench(
      configuration(inFlight: 4, share: 1) {
        $0.upstreams.append($0.upstreams[0])
        $0.upstreams[1].inFlightPerConnection = 2
        var route = Route(method: "o")
        route.upstream = 1
        $0.routes = [route]
      })
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)", "m") + line("\(id)", "o"), from: client) }
    #expect(bench.sent().map { $0.prefix(2) } == ["0:", "1:", "1:"])
  }

  // MARK: Who goes

  @Test func `who comes back is the last of the round`() {
    var bench = Bench(configuration(inFlight: 2))
    let (one, other, third) = (bench.connect(), bench.connect(), bench.connect())
    send("a1", "a2", "a3", to: &bench, from: one)
    send("b1", "b2", to: &bench, from: other)
    send("c1", to: &bench, from: third)
    #expect(asked(&bench) == ["a1", "b1"])
    bench.answer(result("1", "0") + "\n")
    #expect(asked(&bench) == ["c1"])
    bench.answer(result("4", "0") + "\n")
    #expect(asked(&bench) == ["a2"])
    bench.answer(result("6", "0") + "\n")
    #expect(asked(&bench) == ["b2"])
    bench.answer(result("2", "0") + "\n" + result("5", "0") + "\n")
    #expect(asked(&bench) == ["a3"])
    bench.answer(result("3", "0") + "\n")
    #expect(bench.core.leftovers == ["3 clients"])
  }

  @Test func `others go past one that has a whole share in flight, at any priority`() {
    var bench = Bench(
      configuration(inFlight: 4, share: 1) {
        var high = Route(method: "high")
        high.priority = 9
        var low = Route(method: "low")
        low.priority = 0
        $0.routes = [high, low]
      })
    let (one, other) = (bench.connect(), bench.connect())
    send("m", "low", "high", "m", to: &bench, from: one)
    send("low", to: &bench, from: other)
    #expect(asked(&bench) == ["m", "low"])
    // All levels come back together.
    bench.answer(result("1", "0") + "\n")
    #expect(asked(&bench) == ["high"])
    bench.answer(result("3", "0") + "\n")
    #expect(asked(&bench) == ["m"])
  }

  // MARK: What counts

  @Test func `what drains counts until it has ended`() {
    var bench = Bench(configuration(inFlight: 4, share: 1) { $0.drainMilliseconds = 10 })
    let client = bench.connect()
    bench.send(line("1") + cancel(1) + line("2"), from: client)
    bench.timePasses(20)
    #expect(asked(&bench) == ["m"])
    bench.answer(result("1", "0") + "\n")
    #expect(asked(&bench) == ["m"])
  }

  @Test func `an undoing counts until it is answered`() {
    var bench = Bench(
      configuration(inFlight: 4, share: 1) { $0.routes = [Route(method: "join", compensation: "leave")] })
    let client = bench.connect()
    bench.send(line("1", "join") + cancel(1) + line("2"), from: client)
    _ = bench.asked()
    bench.answer(result("1", "0") + "\n")
    #expect(asked(&bench) == ["leave"])
    bench.answer(result("131073", "0") + "\n")
    #expect(asked(&bench) == ["m"])
  }

  @Test func `a notification in an exchange of its own counts until it is delivered`() {
    var bench = Bench(configuration(inFlight: 4, share: 1) { $0.upstreams[0].shape = .exchanges })
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"n"}"# + "\n" + line("1"), from: client)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 1)
    bench.core.exchangeDelivered(bench.sink.exchanges[0].exchange.task!, over: Bench.upstream)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 2)
  }

  @Test func `a notification that is written to a connection has ended`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let client = bench.connect()
    for _ in 1...3 { bench.send(#"{"jsonrpc":"2.0","method":"n"}"# + "\n", from: client) }
    #expect(bench.asked().count == 3)
  }

  @Test func `a connection that takes the place of one that has gone has a share of its own`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let gone = bench.connect()
    bench.send(line("1"), from: gone)
    _ = bench.asked()
    bench.core.clientDisconnected(gone)
    let client = bench.connect()
    #expect(client.slot == gone.slot)
    bench.send(line("1") + line("2"), from: client)
    #expect(asked(&bench) == ["m"])
    bench.answer(result("1", "0") + "\n")
    #expect(asked(&bench) == [])
    bench.answer(result("2", "0") + "\n")
    #expect(asked(&bench) == ["m"])
    bench.answer(result("3", "0") + "\n")
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `what is shared counts for whom it was admitted for, also when that has gone`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let (first, second) = (bench.connect(), bench.connect())
    let shared = #"{"key":"k","join":"identical"}"#
    bench.send(line("1", "m", task: shared), from: first)
    bench.send(line("1", "m", task: shared), from: second)
    bench.send(line("2", "own"), from: second)
    #expect(asked(&bench) == ["m", "own"])
    bench.core.clientDisconnected(first)
    bench.answer(result("1", "0") + "\n" + result("2", "0") + "\n")
    #expect(bench.heard(second).count == 2 && bench.core.leftovers == ["1 clients"])
  }

  @Test func `what a lost connection carried counts no more`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let client = bench.connect()
    bench.send(line("1") + line("2"), from: client)
    #expect(asked(&bench) == ["m"])
    bench.core.upstreamDisconnected(Bench.upstream)
    bench.timePasses(100)
    bench.connectUpstreams()
    #expect(asked(&bench) == ["m"])
  }

  // MARK: What waits

  @Test func `what waits for its connection's share ends in time`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1") + line("2", task: #"{"timeoutMs":50}"#) + line("3"), from: client)
    bench.timePasses(50)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":2,"error":{"code":-32083"#))
    bench.send(cancel(3), from: client)
    #expect(bench.heard(client).count == 1)
    bench.send(line("1"), from: other)
    #expect(bench.asked().count == 2)
    bench.answer(result("1", "0") + "\n" + result("4", "0") + "\n")
    #expect(bench.heard(client).count == 1 && bench.core.leftovers == ["2 clients"])
  }

  @Test func `it counts among those that wait for the upstream`() {
    var bench = Bench(configuration(inFlight: 4, share: 1) { $0.waitingPerUpstream = 1 })
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)"), from: client) }
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("too many requests wait for the upstream"))
  }

  // MARK: Another configuration

  @Test func `a larger share lets what waits go`() {
    var bench = Bench(configuration(inFlight: 4, share: 1))
    let client = bench.connect()
    for id in 1...5 { bench.send(line("\(id)"), from: client) }
    #expect(bench.asked().count == 1)
    bench.core.reconfigure(configuration(inFlight: 4, share: 3))
    #expect(bench.asked().count == 2)
    bench.core.reconfigure(configuration(inFlight: 8))
    #expect(bench.asked().count == 2)
  }

  @Test func `with a smaller share nothing goes before there is less in flight`() {
    var bench = Bench(configuration(inFlight: 4, share: 4))
    let (client, other) = (bench.connect(), bench.connect())
    for id in 1...6 { bench.send(line("\(id)"), from: client) }
    #expect(bench.asked().count == 4)
    bench.core.reconfigure(configuration(inFlight: 4, share: 2))
    bench.send(line("1"), from: other)
    for id in 1...2 { bench.answer(result("\(id)", "0") + "\n") }
    #expect(bench.asked().count == 1)
    bench.answer(result("3", "0") + "\n")
    #expect(bench.asked().count == 1)
    for id in 4...7 { bench.answer(result("\(id)", "0") + "\n") }
    #expect(bench.asked().count == 1)
    bench.answer(result("6", "0") + "\n")
    #expect(bench.core.leftovers == ["2 clients"])
  }

  @Test func `connections that come later have the new share`() {
    var bench = Bench(configuration(inFlight: 8, share: 1))
    let first = bench.connect()
    bench.core.clientDisconnected(first)
    bench.core.reconfigure(configuration(inFlight: 8, share: 3))
    let clients = [bench.connect(), bench.connect()]
    for client in clients { for id in 1...5 { bench.send(line("\(id)"), from: client) } }
    #expect(bench.asked().count == 6)
  }
}
