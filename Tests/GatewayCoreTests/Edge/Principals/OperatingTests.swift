import GatewayCore
import Identity
import Testing

/// What an operator sees of clients, does to them, and finds in the audit trail.
@Suite struct OperatingTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions(), ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = ["ada", "eve"].map { PrincipalOptions(name: $0) }
    for index in 0..<2 { configuration.principals[index].users = [UInt32(index + 1)] }
    adjust(&configuration)
    var bench = Bench(configuration)
    bench.core.audit(true)
    return bench
  }

  private func events(_ bench: inout Bench) -> [AuditEvent] { bench.core.takeAuditEvents().events }

  @Test func `connections are shown with what they take, those with the most tasks first`() {
    var bench = bench()
    let ada = bench.core.clientConnected(listener: 0, .user(1))!
    let anyone = bench.core.clientConnected(listener: 1)!
    bench.send(line("1") + line("2"), from: anyone)
    bench.send(line("1"), from: ada)
    let views = bench.core.connectionViews(of: nil, limit: 10)
    #expect(views.map(\.number) == [2, 1] && views.map(\.tasks) == [2, 1])
    #expect(views.map(\.principal) == [nil, "ada"] && views.map(\.listener) == [1, 0])
    #expect(bench.core.connectionViews(of: "ada", limit: 10).map(\.client) == [ada])
    #expect(bench.core.connectionViews(of: nil, limit: 1).map(\.client) == [anyone])
  }

  @Test func `who is evicted hears so, its work is taken back, and it may come again`() {
    var bench = bench()
    let (first, second) = (ada(&bench), ada(&bench))
    let eve = bench.core.clientConnected(listener: 0, .user(2))!
    for client in [first, second, eve] { bench.send(line("1"), from: client) }
    _ = bench.asked()
    #expect(bench.core.evict(principal: "ada") == 2 && bench.core.evict(principal: "ada") == 0)
    let word =
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32085,"message":"the operator ended this connection"}}"#
    #expect(bench.heard(first) == [word] && bench.heard(second) == [word] && bench.heard(eve) == [])
    #expect(bench.sink.closed == [first.slot, second.slot] && bench.core.liveRequestCount == 1)
    #expect(bench.asked().count == 2, "upstream is told of both")
    #expect(bench.core.counters.clientsEvicted == 2)
    #expect(bench.core.clientConnected(listener: 0, .user(1)) != nil)
  }

  @Test(arguments: [true, false])
  func `each request of a session that ends hears what upstream may have done`(isEvicted: Bool) {
    var bench = bench { $0.upstreams[0].inFlightPerEndpoint = 1 }
    let busy = bench.core.clientConnected(listener: 0, .user(1), as: .session)!
    bench.send(line("1") + line("2"), from: busy)
    #expect(bench.asked().count == 1)
    if isEvicted { #expect(bench.core.evict(principal: "ada") == 1) } else { bench.core.clientLeaves(busy) }
    let heard = bench.heard(busy)
    for (id, upstream) in [(1, "cancelSent"), (2, "notSent")] {
      let reply = heard.first { $0.contains(#""id":\#(id),"error":{"code":-32800,"#) }
      #expect(reply?.contains(#""upstream":"\#(upstream)""#) == true, "\(heard)")
    }
    #expect(heard.count == (isEvicted ? 3 : 2) && bench.core.counters.invalid == (isEvicted ? 1 : 0))
    #expect(bench.sink.closed == [busy.slot] && bench.core.liveRequestCount == 0)
    #expect(bench.asked().count == 1, "upstream is told of the one that it had")
  }

  @Test
  func `a POST at work that is evicted hears what upstream may have done, and one that is not why it ends`() {
    var bench = bench()
    let busy = bench.core.clientConnected(listener: 0, .user(1), as: .exchange)!
    let idle = bench.core.clientConnected(listener: 0, .user(1), as: .exchange)!
    bench.send(line("1"), from: busy)
    bench.core.clientEnded(busy)
    _ = bench.asked()
    #expect(bench.core.evict(principal: "ada") == 2)
    let heard = bench.heard(busy)
    #expect(
      heard.count == 2 && heard[0].contains(#""id":1,"error":{"code":-32800,"#)
        && heard[0].contains(#""upstream":"cancelSent""#), "\(heard)")
    #expect(bench.heard(idle).first?.contains(#""id":null,"error":{"code":-32085,"#) == true)
    #expect(bench.sink.closed == [busy.slot, idle.slot] && bench.core.liveRequestCount == 0)
    #expect(bench.asked().count == 1, "upstream is told of the one that it had")
  }

  @Test func `one connection is evicted by its number, be it anybody's`() {
    var bench = bench()
    let clients = (0..<2).map { _ in bench.core.clientConnected(listener: 1)! }
    #expect(bench.core.evict(connection: 3) == 0 && bench.core.evict(connection: 2) == 1)
    _ = bench.heard(clients[0])
    #expect(bench.sink.closed == [clients[1].slot])
  }

  @Test func `nothing is noted while nobody wants to know`() {
    var bench = bench()
    bench.core.audit(false)
    _ = ada(&bench)
    #expect(bench.core.evict(principal: "ada") == 1)
    #expect(events(&bench) == [])
  }

  @Test func `whoever comes, is refused, cancels by key or is ended is noted`() throws {
    var bench = bench {
      $0.principals[0].rules.mayInspect = false
      $0.principals[0].quotas.tasks = 1
    }
    let ada = ada(&bench)
    let unknown = bench.connect()
    bench.send(line("1", "lastword.authenticate", params: #"{"token":"x"}"#) + line("2"), from: unknown)
    let cancel = line("4", "lastword.cancel", params: #"{"key":"k"}"#)
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2") + line("3", "lastword.inspect"), from: ada)
    bench.send(cancel + cancel, from: ada)
    #expect(bench.core.evict(connection: 1) == 1)
    let events = events(&bench)
    #expect(
      events.map(\.kind) == [
        .authenticated, .authenticationFailed(.unknown), .unauthenticated,
        .overQuota(reason: "too many tasks of this principal"),
        .forbidden(reason: "not allowed: lastword.inspect"),
        .cancelled(label: Array("k".utf8), isKey: true, count: 1), .evicted,
      ])
    #expect(events.map(\.principal) == ["ada", nil, nil, "ada", "ada", "ada", "ada"])
    #expect(events.map(\.connection) == [1, 2, 2, 1, 1, 1, 1])
    #expect(self.events(&bench) == [])
  }

  @Test func `one connection too many of a user is noted, and any other that is refused is not`() {
    var bench = bench {
      $0.principals[0].quotas.connections = 1
      $0.connections = 2
    }
    _ = ada(&bench)
    _ = events(&bench)
    #expect(bench.core.clientConnected(listener: 0, .user(1)) == nil)
    let noted = events(&bench)
    #expect(noted.map(\.kind) == [.overQuota(reason: "too many connections of this principal")])
    #expect(noted.map(\.principal) == ["ada"])
    #expect(noted.map(\.client) == [nil] && noted.map(\.connection) == [nil])
    _ = bench.connect()
    #expect(bench.core.clientConnected(listener: 0, .user(7)) == nil)
    #expect(events(&bench) == [])
  }

  @Test func `a reload that takes somebody away is noted, with whom it took`() {
    var bench = bench()
    _ = ada(&bench)
    _ = events(&bench)
    var configuration = bench.core.configuration
    configuration.principals[0].users = [9]
    bench.core.reconfigure(configuration)
    let events = events(&bench)
    #expect(
      events.map(\.kind) == [.revoked(reason: "no longer authenticated")]
        && events.map(\.principal) == ["ada"])
  }

  @Test func `a flood is noted as far as there is room, and counted`() {
    var bench = bench()
    let unknown = bench.connect()
    for _ in 0..<300 { bench.sendInTurn(line("1"), from: unknown) }
    while bench.core.nextInTurn != nil { bench.core.goOn() }
    let (events, leftOut) = bench.core.takeAuditEvents()
    #expect(events.count == 256 && leftOut == 44)
  }

  @Test func `a flood that lasts is noted so often a second, and pushes out nobody else`() {
    var bench = bench()
    let unknown = bench.connect()
    var counts = [0, 0]
    for _ in 0..<10 {
      for _ in 0..<100 { bench.send(line("1"), from: unknown) }
      bench.timePasses(1)
      let (events, leftOut) = bench.core.takeAuditEvents()
      counts[0] += events.count
      counts[1] += Int(leftOut)
      _ = bench.heard(unknown)
    }
    // A second's worth, and what comes back within 10 ms.
    #expect(counts[0] == 504 && counts[1] == 496)
    _ = ada(&bench)
    #expect(events(&bench).map(\.kind) == [.authenticated])
  }

  /// Kinds of events that there can be a flood of.
  enum Flood: CaseIterable {
    case strangers, refused, logIns, cancels, evictions

    init(_ kind: AuditEvent.Kind) {
      switch kind {
      case .authenticationFailed, .unauthenticated: self = .strangers
      case .forbidden, .overQuota: self = .refused
      case .authenticated: self = .logIns
      case .cancelled: self = .cancels
      case .revoked, .evicted: self = .evictions
      }
    }
  }

  private struct Crowd {
    let ada: ClientID
    let eve: ClientID
    let stranger: ClientID
  }

  /// One event of a kind happens.
  private func cause(_ kind: Flood, _ number: Int, by crowd: Crowd, in bench: inout Bench) {
    let key = #"{"key":"k\#(number)"}"#
    switch kind {
    case .strangers: bench.send(line("1"), from: crowd.stranger)
    case .refused: bench.send(line("1", "lastword.inspect", params: key), from: crowd.eve)
    case .logIns:
      let post = bench.core.clientConnected(listener: 0, .user(1), as: .exchange)!
      bench.core.clientDisconnected(post)
    case .cancels:
      bench.send(line("1", task: key) + line("2", "lastword.cancel", params: key), from: crowd.ada)
    case .evictions:
      let client = bench.core.clientConnected(listener: 1)!
      let number = bench.core.number(of: client)
      #expect(bench.core.evict(connection: number) == 1)
      bench.core.flush(into: &bench.sink)
    }
  }

  @Test(arguments: Flood.allCases)
  func `a flood of one kind leaves room for the others, in one turn and within a second`(flood: Flood) {
    var bench = bench { $0.principals[1].rules.mayInspect = false }
    let crowd = Crowd(
      ada: ada(&bench), eve: bench.core.clientConnected(listener: 0, .user(2))!, stranger: bench.connect())
    bench.timePasses(1_000)
    _ = events(&bench)
    for (turn, room) in [256, 244, 0].enumerated() {
      for number in 0..<300 { cause(flood, number, by: crowd, in: &bench) }
      for other in Flood.allCases where other != flood { cause(other, turn, by: crowd, in: &bench) }
      let (events, leftOut) = bench.core.takeAuditEvents()
      for kind in Flood.allCases {
        let count = events.count { Flood($0.kind) == kind }
        #expect(count == (kind == flood ? room : 1), "\(kind) in turn \(turn)")
      }
      #expect(leftOut == UInt64(300 - room))
    }
  }

  private func ada(_ bench: inout Bench) -> ClientID { bench.core.clientConnected(listener: 0, .user(1))! }
}
