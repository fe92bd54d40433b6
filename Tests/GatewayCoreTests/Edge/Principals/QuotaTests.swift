import GatewayCore
import Identity
import TaskStore
import Testing

/// What all connections of a principal may take together.
@Suite struct QuotaTests {
  /// Ada and eve are users 1 and 2 of the machine; each asks under keys of its own.
  private func bench(
    connected: Bool = true, _ limit: (inout Quotas) -> Void,
    also adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    Bench(Self.configuration(limit, also: adjust), connected: connected)
  }

  private static func configuration(
    _ limit: (inout Quotas) -> Void, also adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions(), ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = ["ada", "eve"].map { PrincipalOptions(name: $0) }
    for index in 0..<2 {
      configuration.principals[index].users = [UInt32(index + 1)]
      limit(&configuration.principals[index].quotas)
    }
    adjust(&configuration)
    return configuration
  }

  private func refusal(_ id: String, _ message: String, after milliseconds: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32082,"message":"\#(message) of this principal","#
      + #""data":{"upstream":"notSent","retryAfterMs":\#(milliseconds)}}}"#
  }

  private let tooManyTasks = "too many tasks"
  private let tooManyRequests = "too many requests a second"

  // MARK: Making room

  private func bench(memoryBytes: Int) -> Bench { bench({ _ in }, also: { $0.memoryBytes = memoryBytes }) }

  /// Connections of eve, of ada, and of ada.
  private func connect(to bench: inout Bench) -> [ClientID] {
    [2, 1, 1].map { bench.core.clientConnected(listener: 0, .user($0))! }
  }

  @Test func `what messages that do not end have sent counts together of a principal`() {
    // Blocks of 32 KiB, 32 KiB and, at first, 16 KiB.
    var bench = bench(memoryBytes: 120_000)
    let clients = connect(to: &bench)
    let text = { "{\"" + String(repeating: "x", count: $0) }
    for (client, byteCount) in zip(clients, [30_000, 20_000, 10_000]) {
      bench.send(text(byteCount), from: client)
    }
    #expect(bench.sink.closed.isEmpty)
    bench.send(text(10_000), from: clients[2])
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[2].slot], "eve has as much on one connection, and ada's came last")
  }

  @Test func `what requests ask counts together of a principal, where others need the room`() {
    var bench = bench(memoryBytes: 40_000)
    let clients = connect(to: &bench)
    let small = bench.core.clientConnected(listener: 1)!
    let ask = { (id: String, byteCount: Int) in
      line(id, params: "[" + String(repeating: "1", count: byteCount) + "]", task: #"{"key":"k\#(id)"}"#)
    }
    bench.send(ask("1", 4_000), from: clients[0])
    bench.send(ask("2", 3_000), from: clients[1])
    bench.send(ask("3", 2_500), from: clients[2])
    bench.send(ask("4", 1_000), from: small)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[1].slot], "eve's asks most, and ada's together more")
  }

  // MARK: Counts

  @Test func `connections of a principal are bounded, and those of others are not its`() {
    var bench = bench { $0.connections = 2 }
    let first = bench.core.clientConnected(listener: 0, .user(1))!
    #expect(bench.core.clientConnected(listener: 0, .user(1)) != nil)
    #expect(bench.core.clientConnected(listener: 0, .user(1)) == nil)
    #expect(bench.core.clientConnected(listener: 0, .user(2)) != nil)
    #expect(bench.core.clientConnected(listener: 1, .user(1)) != nil, "nobody is asked there")
    bench.core.clientDisconnected(first)
    #expect(bench.core.clientConnected(listener: 0, .user(1)) != nil)
  }

  @Test func `who says who it is on one connection too many hears it, and may try again`() throws {
    let digest = try #require(TokenDigest(of: Array("a".utf8)), "this test needs OpenSSL")
    var bench = bench({ $0.connections = 1 }, also: { $0.principals[0].tokens = [digest] })
    let other = bench.core.clientConnected(listener: 0, .user(1))!
    let client = bench.connect()
    let authenticate = line("0", "lastword.authenticate", params: #"{"token":"a"}"#)
    bench.send(authenticate, from: client)
    #expect(bench.heard(client) == [refusal("0", "too many connections", after: 1_000)])
    bench.core.clientDisconnected(other)
    bench.send(authenticate, from: client)
    #expect(bench.heard(client) == [result("0", #"{"principal":"ada"}"#)])
    #expect(bench.core.counters.failedAuthentications == 0)
  }

  @Test func `tasks of all connections of a principal are bounded together`() {
    var bench = bench { $0.tasks = 2 }
    let (first, second) = (ada(&bench), ada(&bench))
    bench.send(line("1"), from: first)
    bench.send(line("2") + line("3"), from: second)
    #expect(bench.heard(second) == [refusal("3", tooManyTasks, after: 1_000)])
    let other = eve(&bench)
    bench.send(line("4"), from: other)
    #expect(bench.asked().count == 3 && bench.heard(other) == [])
    bench.answer(result("1", "0") + "\n")
    bench.send(line("5"), from: second)
    #expect(bench.asked().count == 1)
  }

  @Test func `what connections that are gone left behind counts until upstream has ended it`() {
    var bench = bench { $0.tasks = 2 }
    let gone = ada(&bench)
    bench.send(line("1") + line("2"), from: gone)
    bench.core.clientDisconnected(gone)
    let client = ada(&bench)
    bench.send(line("3"), from: client)
    #expect(bench.heard(client) == [refusal("3", tooManyTasks, after: 1_000)])
    bench.answer(result("1", "0") + "\n" + result("2", "0") + "\n")
    bench.send(line("4"), from: client)
    #expect(bench.heard(client) == [] && bench.core.taskCount == 1)
  }

  @Test func `what another connection of the principal has queued makes room for what supersedes it`() {
    var bench = bench(connected: false) { $0.tasks = 1 }
    let (first, second) = (ada(&bench), ada(&bench))
    bench.send(line("1", task: #"{"key":"k"}"#), from: first)
    bench.send(line("2", task: #"{"key":"k"}"#), from: second)
    #expect(bench.heard(first).first?.contains("-32080") == true && bench.heard(second) == [])
    bench.send(line("3", task: #"{"key":"l"}"#), from: second)
    #expect(bench.heard(second) == [refusal("3", tooManyTasks, after: 1_000)])
  }

  private let tooManyCallers = "too many callers"
  private let joining = #"{"key":"k","join":"identical"}"#

  @Test func `callers of all connections of a principal are bounded together, those included that join`() {
    var bench = bench { $0.callers = 3 }
    let (first, second) = (ada(&bench), ada(&bench))
    bench.send(line("1", task: joining) + line("2", task: joining), from: first)
    bench.send(line("3", task: joining) + line("4", task: joining), from: second)
    #expect(bench.heard(second) == [refusal("4", tooManyCallers, after: 1_000)])
    #expect(bench.core.principalViews[0].callers == 3 && bench.core.principalViews[0].tally.refused == 1)
    let other = eve(&bench)
    bench.send(line("5", task: joining), from: other)
    #expect(bench.heard(other) == [] && bench.asked().count == 2)
    // What is taken back, answered or gone makes room.
    bench.send(line("6", "$/cancelRequest", params: #"{"id":2}"#) + line("7", task: joining), from: first)
    #expect(bench.heard(first).map { $0.contains("-32082") } == [false, false])
    bench.core.clientDisconnected(second)
    bench.send(line("8", task: joining) + line("9", task: joining), from: first)
    #expect(bench.heard(first) == [refusal("9", tooManyCallers, after: 1_000)])
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(first).count == 3 && bench.core.principalViews[0].callers == 0)
    #expect(bench.core.misaccountedPrincipals == [])
  }

  @Test(arguments: [(8, 2), (9, 2), (3, 1), (1, 1)])
  func `without a number a principal has a quarter of all callers`(waiters: Int, most: Int) {
    var bench = bench({ _ in }, also: { $0.store.waiters = waiters })
    let client = ada(&bench)
    bench.send((1...most + 1).map { line("\($0)", task: joining) }.joined(), from: client)
    #expect(bench.heard(client) == [refusal("\(most + 1)", tooManyCallers, after: 1_000)])
  }

  @Test func `callers that a request supersedes make room for it, if they are the principal's`() {
    for isShared in [true, false] {
      var bench = bench({ $0.callers = 2 }, also: { $0.principals[1].namespace = isShared ? "ada" : "eve" })
      let (first, second, other) = (ada(&bench), ada(&bench), eve(&bench))
      bench.send(line("1", task: #"{"key":"l"}"#) + line("2", task: #"{"key":"l2"}"#), from: first)
      bench.send(line("3", task: #"{"key":"k"}"#), from: other)
      // Eve's caller makes no room.
      bench.send(line("4", task: #"{"key":"k"}"#), from: second)
      #expect(bench.heard(second) == [refusal("4", tooManyCallers, after: 1_000)] && bench.heard(other) == [])
      bench.send(line("5", task: #"{"key":"l"}"#), from: second)
      #expect(bench.heard(first).map { $0.contains("-32080") } == [true] && bench.heard(second) == [])
    }
  }

  @Test func `callers that follow take places, and what is taken away from a principal gives them back`() {
    var bench = bench { $0.callers = 2 }
    let client = ada(&bench)
    let following = #"{"key":"k","scope":"connection","superseded":"follow"}"#
    bench.send((1...3).map { line("\($0)", task: following) }.joined(), from: client)
    #expect(bench.heard(client) == [refusal("3", tooManyCallers, after: 1_000)])
    bench.core.reconfigure(Self.configuration({ $0.callers = 2 }, also: { $0.principals[0].users = [7] }))
    #expect(bench.heard(client).first?.contains("-32087") == true)
    #expect(bench.core.misaccountedPrincipals == [] && bench.core.liveRequestCount == 0)
  }

  @Test func `a notification is no caller`() {
    var bench = bench { $0.callers = 1 }
    let client = ada(&bench)
    bench.send(line("1") + #"{"jsonrpc":"2.0","method":"m"}"# + "\n", from: client)
    #expect(bench.asked().count == 2 && bench.core.counters.notificationsLost == 0)
  }

  @Test func `bytes of what a principal asks are bounded, and come back when upstream has been asked`() {
    var bench = bench(connected: false) { $0.payloadBytes = 30 }
    let (first, second) = (ada(&bench), ada(&bench))
    let params = #""\#(String(repeating: "x", count: 18))""#
    bench.send(line("1", "m", params: "[\(params)]"), from: first)
    bench.send(line("2", "m", params: "[\(params)]"), from: second)
    let message = "too many bytes of open requests"
    #expect(bench.heard(second) == [refusal("2", message, after: 1_000)])
    bench.connectUpstreams()
    bench.send(line("3", "m", params: "[\(params)]"), from: second)
    #expect(bench.heard(second) == [])
  }

  @Test func `a request that asks exactly what is left is taken, and one byte more is not`() {
    for byteCount in [30, 31] {
      var bench = bench(connected: false) { $0.payloadBytes = 30 }
      let client = ada(&bench)
      bench.send(line("1", "m", params: "[\(String(repeating: "1", count: byteCount - 5))]"), from: client)
      #expect(bench.heard(client).isEmpty == (byteCount == 30))
    }
  }

  // MARK: Rates

  @Test func `a principal sends so many requests a second, and hears when it may send the next`() {
    var bench = bench { $0.requestsPerSecond = 4 }
    let (first, second) = (ada(&bench), ada(&bench))
    bench.send(line("1") + line("2") + line("3"), from: first)
    bench.send(line("4") + line("5"), from: second)
    #expect(bench.heard(second) == [refusal("5", tooManyRequests, after: 250)])
    bench.timePasses(249)
    bench.send(line("6"), from: first)
    #expect(bench.heard(first) == [refusal("6", tooManyRequests, after: 1)])
    bench.timePasses(1)
    bench.send(line("7") + line("8"), from: first)
    #expect(bench.heard(first) == [refusal("8", tooManyRequests, after: 250)])
    let other = eve(&bench)
    bench.send(line("9"), from: other)
    #expect(bench.heard(other) == [] && bench.asked().count == 6)
  }

  @Test func `a notification beyond the rate is lost, counted and told of`() {
    var bench = bench { $0.requestsPerSecond = 1 }
    let client = ada(&bench)
    let note = #"{"jsonrpc":"2.0","method":"m"}"# + "\n"
    bench.send(note + note, from: client)
    #expect(bench.asked().count == 1 && bench.core.counters.notificationsLost == 1)
    #expect(
      bench.core.takeRefusedNotifications().map(\.reason) == ["too many requests a second of this principal"])
  }

  @Test func `what would supersede too many a second is refused, and supersedes nothing`() {
    var bench = bench { $0.supersessionsPerSecond = 2 }
    let client = ada(&bench)
    let task = #"{"key":"k"}"#
    bench.send((1...3).map { line("\($0)", task: task) }.joined(), from: client)
    #expect(bench.heard(client).count == 2)
    bench.send(line("4", task: task), from: client)
    #expect(bench.heard(client) == [refusal("4", "too many superseded a second", after: 500)])
    #expect(bench.core.liveRequestCount == 1, "the third is still there")
    // What supersedes nothing is taken.
    bench.send(line("5", task: #"{"key":"l"}"#) + line("6"), from: client)
    #expect(bench.heard(client) == [])
    bench.timePasses(500)
    bench.send(line("7", task: task), from: client)
    #expect(bench.heard(client).map { $0.contains(#""id":3,"error":{"code":-32080,"#) } == [true])
  }

  @Test func `what one request supersedes at once is paid for in advance`() {
    var bench = bench { $0.supersessionsPerSecond = 2 }
    let client = ada(&bench)
    let both = #"{"key":"k","policy":"concurrent"}"#
    bench.send(
      (1...4).map { line("\($0)", task: both) }.joined() + line("5", task: #"{"key":"k"}"#), from: client)
    #expect(bench.heard(client).count == 4)
    bench.send(line("6", task: #"{"key":"k"}"#), from: client)
    #expect(bench.heard(client) == [refusal("6", "too many superseded a second", after: 1_500)])
  }

  @Test func `who follows what superseded its request counts as superseded`() {
    var bench = bench { $0.supersessionsPerSecond = 3 }
    let client = ada(&bench)
    let task = #"{"key":"k","scope":"connection","superseded":"follow"}"#
    bench.send(line("1", task: task) + line("2", task: task), from: client)
    #expect(bench.heard(client) == [] && bench.core.counters.followed == 1)
    // The first caller is superseded once more, with the second.
    bench.send(line("3", task: task), from: client)
    #expect(bench.heard(client) == [] && bench.core.counters.followed == 3)
    bench.send(line("4", task: task), from: client)
    #expect(bench.heard(client) == [refusal("4", "too many superseded a second", after: 334)])
    #expect(bench.core.liveRequestCount == 3 && bench.core.principalViews[0].tally.superseded == 3)
  }

  @Test func `what a notification outdates is not charged as superseded`() {
    var bench = bench({ $0.supersessionsPerSecond = 1 }, also: { $0.upstreams[0].isPerConnection = true })
    let client = ada(&bench)
    let waiting = #"{"key":"k","policy":"wait"}"#
    bench.send(line("1", task: waiting), from: client)
    bench.connectUpstreams()
    let edit = #"{"jsonrpc":"2.0","method":"didChange"}"# + "\n"
    bench.send(line("2", task: waiting) + line("3", task: waiting) + edit, from: client)
    #expect(bench.heard(client).map { $0.contains("-32801") } == [true, true])
    #expect(bench.core.principalViews[0].tally.superseded == 0)
    bench.send(line("4", task: #"{"key":"l"}"#) + line("5", task: #"{"key":"l"}"#), from: client)
    #expect(bench.heard(client).map { $0.contains(#""id":4,"error":{"code":-32080,"#) } == [true])
    #expect(bench.core.principalViews[0].tally.superseded == 1)
  }

  @Test func `a principal cancels so much a second, by whatever way`() {
    let ways = [
      line("8", "lastword.cancel", params: #"{"key":"k"}"#),
      line("8", "lastword.cancel", params: #"{"id":1}"#),
      line("8", "lastword.cancel", params: #"{"group":"g"}"#),
      line("8", "$/cancelRequest", params: #"{"id":1}"#),
    ]
    for way in ways {
      var bench = bench { $0.cancelsPerSecond = 1 }
      let client = ada(&bench)
      bench.send(
        line("1", task: #"{"key":"k","group":"g"}"#) + line("2", "$/cancelRequest", params: #"{"id":0}"#),
        from: client)
      bench.send(way, from: client)
      let heard = bench.heard(client)
      #expect(heard.last == refusal("8", "too many cancelled a second", after: 1_000), "\(heard)")
      #expect(bench.core.liveRequestCount == 1)
      bench.timePasses(1_000)
      bench.send(way, from: client)
      #expect(bench.core.liveRequestCount == 0)
    }
  }

  @Test func `a notification that cancels too much is lost, and what it meant lives on`() {
    var bench = bench { $0.cancelsPerSecond = 1 }
    let client = ada(&bench)
    let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n"
    let mcp = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"# + "\n"
    bench.send(cancel + line("1") + cancel + line("1"), from: client)
    bench.send(mcp, from: client)
    #expect(bench.core.liveRequestCount == 2 && bench.core.counters.notificationsLost == 2)
  }

  @Test func `what the gateway itself takes back is under no rate, and goes behind what is held`() {
    var bench = bench { $0.cancelsPerSecond = 1 }
    let client = ada(&bench)
    bench.send(line("1", "$/cancelRequest", params: #"{"id":0}"#) + line("2") + line("3"), from: client)
    let held = Array(line("4").utf8)
    bench.core.putOff((held + [UInt8](repeating: 0xff, count: 64)).span, count: held.count, from: client)
    let ids = ["2", "3", "4"].map { Array($0.utf8) }
    let isEarly = bench.core.takeBack(ids, of: client)
    #expect(!isEarly && bench.core.liveRequestCount == 2)
    bench.core.goOn()
    #expect(bench.core.liveRequestCount == 3)
    let isDone = bench.core.takeBack(ids, of: client)
    #expect(isDone && bench.core.liveRequestCount == 0)
  }

  @Test func `a new configuration counts what is there`() {
    var bench = bench { $0.tasks = 10 }
    let client = ada(&bench)
    bench.send(line("1") + line("2"), from: client)
    bench.core.reconfigure(Self.configuration { $0.tasks = 2 })
    bench.send(line("3"), from: client)
    #expect(bench.heard(client) == [refusal("3", tooManyTasks, after: 1_000)])
    bench.core.reconfigure(Self.configuration { $0.tasks = 3 })
    bench.send(line("4"), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `a lower rate forgives what it would not have let be taken in advance`() {
    var bench = bench { $0.requestsPerSecond = 40 }
    let client = ada(&bench)
    bench.send((1...40).map { line("\($0)") }.joined(), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 40)
    bench.core.reconfigure(Self.configuration { $0.requestsPerSecond = 2 })
    bench.send(line("41"), from: client)
    // Ten seconds' worth in advance, and one request.
    #expect(bench.heard(client) == [refusal("41", tooManyRequests, after: 10_500)])
    bench.timePasses(10_500)
    bench.send(line("42"), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 1)
  }

  // MARK: At an upstream

  @Test func `at an upstream a principal is one, however many connections it has`() {
    var bench = bench({ _ in }, also: { $0.upstreams[0].inFlightPerEndpoint = 1 })
    let connections = (0..<3).map { _ in ada(&bench) }
    let other = eve(&bench)
    for (number, client) in connections.enumerated() { bench.send(line("\(number)", "ada"), from: client) }
    bench.send(line("7", "eve") + line("8", "eve"), from: other)
    #expect(bench.served(5) == ["ada", "ada", "eve", "ada", "eve"])
  }

  @Test func `its connections have one share of what an upstream works on`() {
    var bench = bench({ _ in }, also: { $0.upstreams[0].inFlightPerEndpoint = 4 })
    let (first, second) = (ada(&bench), ada(&bench))
    bench.send(line("1") + line("2"), from: first)
    bench.send(line("3") + line("4"), from: second)
    #expect(bench.asked().count == 3)
    let other = eve(&bench)
    bench.send(line("5"), from: other)
    #expect(bench.asked().count == 1)
  }

  // MARK: Watching

  @Test func `what principals take and did is shown, of those only who have come`() {
    var bench = bench({ $0.tasks = 1 })
    #expect(bench.core.principalViews == [])
    let client = eve(&bench)
    bench.send(line("1", "m", task: #"{"key":"k"}"#) + line("2"), from: client)
    bench.send(line("3", "$/cancelRequest", params: #"{"id":1}"#), from: client)
    let view = bench.core.principalViews[0]
    #expect(bench.core.principalViews.count == 1)
    #expect(view.name == "eve" && view.connections == 1 && view.tasks == 1)
    #expect(view.tally.requests == 2 && view.tally.refused == 1 && view.tally.cancelled == 1)
    bench.answer(result("1", "0") + "\n")
    bench.core.clientDisconnected(client)
    #expect(bench.core.principalViews[0].connections == 0 && bench.core.leftovers == [])
  }

  private func ada(_ bench: inout Bench) -> ClientID { bench.core.clientConnected(listener: 0, .user(1))! }
  private func eve(_ bench: inout Bench) -> ClientID { bench.core.clientConnected(listener: 0, .user(2))! }
}
