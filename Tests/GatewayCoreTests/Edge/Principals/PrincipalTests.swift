import GatewayCore
import Identity
import JSONRPC
import TaskStore
import Testing

/// Who clients are, and how that ends.
@Suite struct PrincipalTests {
  private static let unauthenticated = #""error":{"code":-32087,"#

  private static func digest(_ token: String) throws -> TokenDigest {
    try #require(TokenDigest(of: Array(token.utf8)), "these tests need OpenSSL")
  }

  private static func principal(_ name: String, token: String) throws -> PrincipalOptions {
    var principal = PrincipalOptions(name: name)
    principal.tokens = [try digest(token)]
    return principal
  }

  /// Listener 0 asks everybody who it is, listener 1 nobody.
  private static func configuration(
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions(), ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = [try principal("ada", token: "a"), try principal("eve", token: "e")]
    configuration.principals[1].users = [1000]
    adjust(&configuration)
    return configuration
  }

  private func authenticate(_ token: String) -> String {
    line("0", "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
  }

  @Test func `who does not say in time who it is hears that, and is closed`() throws {
    var bench = Bench(try Self.configuration())
    let client = bench.connect()
    bench.timePasses(4_000)
    // Whatever it sends, and however little: the time is one.
    bench.send(line("1", "lastword.ping") + #"{"jsonrpc""#, from: client)
    bench.timePasses(999)
    #expect(bench.heard(client) == [result("1", "null")] && bench.sink.closed.isEmpty)
    bench.timePasses(1)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":null,"# + Self.unauthenticated), "\(heard)")
    #expect(bench.sink.closed == [client.slot] && bench.core.leftovers == [])
  }

  @Test func `who has said it has all the time there is`() throws {
    var bench = Bench(try Self.configuration())
    let client = bench.connect()
    bench.send(authenticate("a"), from: client)
    bench.timePasses(100_000)
    bench.send(line("1", "lastword.ping"), from: client)
    #expect(bench.heard(client) == [result("0", #"{"principal":"ada"}"#), result("1", "null")])
  }

  @Test func `a user is known without a word, and another is not`() throws {
    var bench = Bench(try Self.configuration())
    let known = bench.core.clientConnected(listener: 0, .user(1000))!
    let unknown = bench.core.clientConnected(listener: 0, .user(1001))!
    for client in [known, unknown] { bench.send(line("1", "m"), from: client) }
    #expect(bench.asked().count == 1 && bench.heard(known) == [])
    #expect(bench.heard(unknown).first?.contains(Self.unauthenticated) == true)
  }

  @Test func `only so many may not have said it at once`() throws {
    var bench = Bench(try Self.configuration { $0.unauthenticatedConnections = 2 })
    let first = bench.connect()
    _ = bench.connect()
    #expect(bench.core.clientConnected(listener: 0) == nil)
    // Those who are known, or come where nobody is asked, do not count.
    #expect(bench.core.clientConnected(listener: 0, .user(1000)) != nil)
    #expect(bench.core.clientConnected(listener: 1) != nil)
    bench.send(authenticate("e"), from: first)
    let third = bench.core.clientConnected(listener: 0)!
    #expect(bench.core.clientConnected(listener: 0) == nil)
    bench.core.clientDisconnected(third)
    #expect(bench.core.clientConnected(listener: 0) != nil)
  }

  @Test
  func `connections of the shell that have not said it count with the clients, and POSTs over them do not`()
    throws
  {
    var bench = Bench(try Self.configuration { $0.unauthenticatedConnections = 2 })
    bench.core.unknownConnectionsOfShell(2)
    #expect(bench.core.clientConnected(listener: 0) == nil)
    let post = bench.core.clientConnected(listener: 0, as: .exchange)!
    #expect(bench.core.clientConnected(listener: 0, .user(1000)) != nil)
    bench.core.unknownConnectionsOfShell(1)
    let client = bench.core.clientConnected(listener: 0)!
    #expect(bench.core.clientConnected(listener: 0) == nil)
    bench.core.clientDisconnected(client)
    bench.core.clientDisconnected(post)
    #expect(bench.core.clientConnected(listener: 0) != nil)
    #expect(bench.core.clientConnected(listener: 0) == nil)
  }

  @Test func `an array of guesses gets no more attempts than there are`() throws {
    var bench = Bench(try Self.configuration { $0.authenticateAttempts = 2 })
    let client = bench.connect()
    let calls = ["x", "y", "a"].map { authenticate($0).dropLast() }.joined(separator: ",")
    bench.send("[\(calls)]\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].components(of: Self.unauthenticated) == 3, "\(heard)")
    #expect(bench.sink.closed == [client.slot] && bench.core.counters.failedAuthentications == 3)
  }

  @Test func `wrong tokens do not end a session that is known, and a single one keeps out who is not`() throws
  {
    var bench = Bench(try Self.configuration { $0.authenticateAttempts = 1 })
    let session = bench.core.clientConnected(listener: 0, as: .session)!
    bench.send(authenticate("a"), from: session)
    #expect(bench.heard(session) == [result("0", #"{"principal":"ada"}"#)])
    for _ in 0..<3 {
      bench.send(authenticate("x"), from: session)
      #expect(bench.heard(session).first?.contains(Self.unauthenticated) == true)
    }
    bench.send(authenticate("a") + line("1", "lastword.ping"), from: session)
    #expect(bench.heard(session) == [result("0", #"{"principal":"ada"}"#), result("1", "null")])
    #expect(bench.sink.closed == [] && bench.core.counters.failedAuthentications == 3)
    let unknown = bench.core.clientConnected(listener: 0, as: .session)!
    bench.send(authenticate("x"), from: unknown)
    #expect(bench.heard(unknown).first?.contains(Self.unauthenticated) == true)
    #expect(bench.sink.closed == [unknown.slot])
  }

  @Test(arguments: ["x", "e"], [nil, .user(1000)] as [Credential?])
  func `of a POST nothing is read behind a token that is refused`(token: String, known: Credential?) throws {
    var bench = Bench(
      try Self.configuration {
        $0.principals[0].users = [1000]
        $0.principals[1].users = []
        $0.principals[1].quotas.connections = 1
      })
    // Nobody else may come as the one whose token is the right one.
    bench.send(authenticate("e"), from: bench.connect())
    let post = bench.core.clientConnected(listener: 0, known, as: .exchange)!
    let content = [authenticate("a").dropLast(), line("1").dropLast()].joined(separator: ",")
    bench.send(authenticate(token) + "[\(content)]\n", from: post)
    bench.core.clientEnded(post)
    let heard = bench.heard(post)
    #expect(heard.count == 1 && heard[0].contains(#""id":0,"error":{"code":-3208"#), "\(heard)")
    #expect(bench.asked().isEmpty && bench.sink.closed == [post.slot])
  }

  @Test func `an array of guesses that takes several turns is answered before its connection closes`() throws
  {
    var configuration = try Self.configuration { $0.authenticateAttempts = 1 }
    configuration.turnMessages = 1
    var bench = Bench(configuration)
    let client = bench.connect()
    let calls = ["x", "y", "z"].map { authenticate($0).dropLast() }.joined(separator: ",")
    bench.sendInTurn("[\(calls)]\n" + line("1", "lastword.ping"), from: client)
    for _ in 1...3 {
      #expect(bench.heard(client) == [] && bench.sink.closed == [])
      bench.core.goOn()
    }
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].components(of: Self.unauthenticated) == 3, "\(heard)")
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `a token that a reload takes away ends its connections, and takes their work back`() throws {
    var configuration = try Self.configuration()
    var bench = Bench(configuration)
    let (ada, eve) = (bench.connect(), bench.connect())
    bench.send(authenticate("a") + line("1", "m", task: #"{"key":"k"}"#), from: ada)
    bench.send(authenticate("e") + line("1", "m", task: #"{"key":"k"}"#), from: eve)
    #expect(bench.asked().count == 2)
    _ = (bench.heard(ada), bench.heard(eve))
    configuration.principals[0].tokens = [try Self.digest("b")]
    bench.core.reconfigure(configuration)
    let heard = bench.heard(ada)
    #expect(heard.count == 1 && heard[0].contains(#""id":null,"# + Self.unauthenticated), "\(heard)")
    #expect(bench.sink.closed == [ada.slot] && bench.core.counters.clientsRevoked == 1)
    #expect(bench.asked().count == 1, "upstream is told that one of the two is not wanted any more")
    #expect(bench.heard(eve) == [] && bench.core.liveRequestCount == 1)
  }

  @Test
  func
    `a POST at work hears what upstream may have done of each request, though not all of its array was read`()
    throws
  {
    var configuration = try Self.configuration()
    configuration.turnMessages = 3
    configuration.upstreams[0].inFlightPerEndpoint = 1
    var bench = Bench(configuration)
    let post = bench.core.clientConnected(listener: 0, as: .exchange)!
    let items = [line("1", "m"), line("2", "m"), line("3", "lastword.ping"), line("4", "m")].map {
      $0.dropLast()
    }
    bench.send(authenticate("a"), from: post)
    bench.sendInTurn("[\(items.joined(separator: ","))]\n", from: post)
    bench.core.clientEnded(post)
    #expect(bench.asked().count == 1)
    _ = bench.heard(post)
    configuration.principals[0].tokens = []
    bench.core.reconfigure(configuration)
    let heard = bench.heard(post)
    #expect(heard.count == 2 && heard[0].hasPrefix("["), "\(heard)")
    for (id, said) in [
      (1, #"-32800,"message":"cancelled","data":{"generation":1,"phase":"running","upstream":"cancelSent"}"#),
      (2, #"-32800,"message":"cancelled","data":{"generation":2,"phase":"queued","upstream":"notSent"}"#),
    ] {
      #expect(heard[0].contains(#""id":\#(id),"error":{"code":\#(said)"#), "\(id): \(heard)")
    }
    #expect(bench.sink.closed == [post.slot] && bench.core.liveRequestCount == 0)
    #expect(bench.asked().count == 1, "upstream is told of the one that it had")
  }

  @Test func `who was given up before its token is taken away starts nothing more in that turn`() throws {
    var configuration = try Self.configuration()
    var bench = Bench(configuration)
    let ada = bench.connect()
    bench.send(authenticate("a"), from: ada)
    _ = bench.heard(ada)
    #expect(bench.core.evict(principal: "ada") == 1)
    configuration.principals[0].tokens = []
    bench.core.reconfigure(configuration)
    bench.send(line("1", "m", task: #"{"key":"k"}"#), from: ada)
    #expect(bench.core.counters.admitted == 0 && bench.core.counters.unauthenticated == 1)
    _ = bench.heard(ada)
    #expect(bench.asked() == [] && bench.sink.closed == [ada.slot])
  }

  @Test func `who was not asked goes once a reload has its listener ask, and what it asked is taken back`()
    throws
  {
    var configuration = try Self.configuration { $0.listeners[0].asksWho = false }
    var bench = Bench(configuration)
    let stream = bench.connect()
    let idle = bench.core.clientConnected(listener: 0, as: .session)!
    let session = bench.core.clientConnected(listener: 0, as: .session)!
    let post = bench.core.clientConnected(listener: 0, as: .exchange)!
    let elsewhere = bench.core.clientConnected(listener: 1)!
    for client in [stream, session, post, elsewhere] { bench.send(line("1", "m"), from: client) }
    #expect(bench.asked().count == 4)
    configuration.listeners[0].asksWho = true
    configuration.unauthenticatedConnections = 1
    bench.core.reconfigure(configuration)
    // It may say more before its connection is closed.
    bench.send(line("2", "m") + authenticate("a"), from: stream)
    #expect(bench.asked().count { $0.contains("$/cancelRequest") } == 3)
    for client in [session, post] {
      let heard = bench.heard(client)
      #expect(heard.count == 2 && heard[0].contains(#""id":1,"error":{"code":-32800,"#), "\(heard)")
      #expect(heard.last?.contains(#""id":null,"# + Self.unauthenticated) == true)
    }
    for client in [stream, idle] {
      let heard = bench.heard(client)
      #expect(heard.first?.contains(#""id":null,"# + Self.unauthenticated) == true, "\(heard)")
      #expect(heard.allSatisfy { $0.contains(Self.unauthenticated) })
    }
    #expect(bench.sink.closed == Set([stream, idle, session, post].map(\.slot)))
    #expect(bench.core.counters.clientsRevoked == 4 && bench.heard(elsewhere) == [])
    // Nobody of them counts any more.
    let again = bench.connect()
    bench.send(authenticate("a") + line("1", "m"), from: again)
    #expect(bench.asked().count == 1)
    #expect(bench.core.clientConnected(listener: 0) != nil)
    #expect(bench.core.clientConnected(listener: 0) == nil)
    configuration.listeners[0].asksWho = false
    bench.core.reconfigure(configuration)
    #expect(bench.core.clientConnected(listener: 0) != nil && bench.sink.closed.count == 4)
  }

  @Test func `a principal that comes back after a reload meets the keys that it had`() throws {
    var configuration = try Self.configuration()
    var bench = Bench(configuration)
    let eve = bench.connect()
    bench.send(authenticate("e") + line("1", "m", task: #"{"key":"k"}"#), from: eve)
    configuration.principals.swapAt(0, 1)
    bench.core.reconfigure(configuration)
    let again = bench.connect()
    bench.send(authenticate("e") + line("1", "m", task: #"{"key":"k"}"#), from: again)
    #expect(bench.heard(eve).last?.contains("-32080") == true)
  }

  @Test func `rules count from the next request on`() throws {
    var configuration = try Self.configuration()
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(authenticate("a") + line("1", "m"), from: client)
    configuration.principals[0].rules.methods = [.init("n")]
    bench.core.reconfigure(configuration)
    bench.send(line("2", "m") + line("3", "n"), from: client)
    #expect(bench.asked().count == 2 && bench.core.counters.forbidden == 1)
    #expect(bench.heard(client).last?.contains(#""id":2,"error":{"code":-32088,"#) == true)
  }

  @Test func `what is forbidden supersedes nothing and leaves nothing behind`() throws {
    for policy in DuplicatePolicy.allCases {
      var bench = Bench(
        try Self.configuration {
          $0.principals[1].namespace = "ada"
          $0.principals[1].rules.policies = DuplicatePolicy.allCases.filter { $0 != policy }
        })
      let (ada, eve) = (bench.connect(), bench.connect())
      bench.send(authenticate("a") + line("1", "m", task: #"{"key":"k"}"#), from: ada)
      bench.send(
        authenticate("e") + line("2", "m", task: #"{"key":"k","policy":"\#(policy.wireName)"}"#), from: eve)
      #expect(bench.heard(eve).last?.contains(#""id":2,"error":{"code":-32088,"#) == true)
      #expect(bench.heard(ada).count == 1 && bench.core.taskCount == 1 && bench.core.liveRequestCount == 1)
    }
  }

  @Test func `another principal's key cannot be met under any policy`() throws {
    for policy in DuplicatePolicy.allCases {
      var bench = Bench(try Self.configuration())
      let (ada, eve) = (bench.connect(), bench.connect())
      let task = #"{"key":"k","policy":"\#(policy.wireName)"}"#
      bench.send(authenticate("a") + line("1", "m", params: "[1]", task: task), from: ada)
      bench.send(authenticate("e") + line("1", "m", params: "[1]", task: task), from: eve)
      #expect(bench.asked().count == 2, "\(policy): both are sent, neither joins or waits")
      #expect(bench.heard(ada).count == 1 && bench.heard(eve).count == 1, "\(policy): nobody is superseded")
      #expect(bench.core.keyCount == 2)
    }
  }

  @Test func `looking through all connections for a group is paid for by who asks`() throws {
    var bench = Bench(try Self.configuration { $0.turnMessages = 4 })
    let client = bench.connect()
    bench.send(authenticate("a"), from: client)
    for _ in 0..<511 { _ = bench.core.clientConnected(listener: 1) }
    let cancel = line("1", "lastword.cancel", params: #"{"group":"g","scope":"principal"}"#)
    bench.sendInTurn(cancel + line("2", "lastword.ping") + line("3", "lastword.ping"), from: client)
    #expect(bench.heard(client).last == result("2", "null"), "1 and 2 messages for 512 connections, then 1")
    bench.core.goOn()
    #expect(bench.heard(client) == [result("3", "null")])
  }

  @Test func `a notification that is forbidden is lost, counted and told of once`() throws {
    var bench = Bench(try Self.configuration { $0.principals[0].rules.methods = [] })
    let client = bench.connect()
    let note = #"{"jsonrpc":"2.0","method":"m"}"# + "\n"
    bench.send(authenticate("a") + note + note, from: client)
    #expect(bench.core.takeRefusedNotifications().map(\.method) == ["m"])
    #expect(
      bench.core.counters.notificationsLost == 2 && bench.asked() == [] && bench.heard(client).count == 1)
  }

  @Test func `an upstream of the connection's own is opened when the connection is known`() throws {
    var configuration = try Self.configuration()
    configuration.upstreams[0].isPerConnection = true
    configuration.listeners[0].opensUpstreams = true
    var bench = Bench(configuration, connected: false)
    let client = bench.connect()
    bench.send(line("1", "m"), from: client)
    #expect(bench.heard(client).count == 1 && bench.sink.connecting.isEmpty)
    bench.send(authenticate("a"), from: client)
    #expect(bench.heard(client).count == 1 && bench.sink.connecting.count == 1)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    var (rest, count) = (self[...], 0)
    while let found = rest.firstRange(of: part) {
      rest = rest[found.upperBound...]
      count += 1
    }
    return count
  }
}
