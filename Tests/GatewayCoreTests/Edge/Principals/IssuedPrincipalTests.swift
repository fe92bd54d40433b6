import GatewayCore
import Identity
import JSONRPC
import TaskStore
import TestSupport
import Testing

/// Clients that are known by tokens which an issuer has signed: how they come, and how that ends.
@Suite struct IssuedPrincipalTests {
  private static let unauthenticated = #""error":{"code":-32087,"#
  /// Seconds since 1970 at the start of a test.
  private static let start: Int64 = 1_800_000_000
  private let key: TestKey

  init() throws { key = try TestKey(.ed25519) }

  private func issuer(_ keys: [TestKey]) throws -> IssuerOptions {
    var issuer = IssuerOptions(name: "login", issuer: "https://login.example", audiences: ["lastword"])
    issuer.keys = try JSONWebKeySet(Array(TestKey.set(keys).utf8))
    issuer.leewayMilliseconds = 0
    return issuer
  }

  private func configuration(
    _ adjust: (inout GatewayConfiguration) throws -> Void = { _ in }
  ) throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.issuers = [try issuer([key])]
    // Longer than any of these tests.
    configuration.timeoutMilliseconds = 3_600_000
    try adjust(&configuration)
    return configuration
  }

  /// A core that knows what time it is.
  private func bench(_ configuration: GatewayConfiguration) -> Bench {
    var bench = Bench(configuration)
    bench.core.wallClock(says: Self.start * 1_000, atMilliseconds: 1_000)
    return bench
  }

  private func token(
    _ subject: String, lasting seconds: Int64, _ more: String = "", key: TestKey? = nil
  ) throws -> String {
    try (key ?? self.key).token(
      #"{"iss":"https://login.example","aud":"lastword","sub":"\#(subject)","exp":\#(Self.start + seconds)\#(more)}"#
    )
  }

  private func authenticate(_ token: String) -> String {
    line("0", "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
  }

  private func name(_ name: String) -> String { result("0", #"{"principal":"\#(name)"}"#) }

  // MARK: Coming

  @Test func `whom an issuer knows is called by both, and asks upstream`() throws {
    var bench = bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)) + line("1", "m"), from: client)
    #expect(bench.heard(client) == [name("login/ada")] && bench.asked().count == 1)
    #expect(bench.core.counters.authenticated == 1)
  }

  @Test func `a token that is not good is refused like any other, and is an attempt`() throws {
    var bench = bench(try configuration { $0.authenticateAttempts = 2 })
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 0)), from: client)
    #expect(
      bench.heard(client).first?.contains(Self.unauthenticated + #""message":"unauthenticated""#) == true)
    bench.send(authenticate(try token("ada", lasting: 60, key: try TestKey(.ed25519))), from: client)
    #expect(bench.heard(client).count == 1 && bench.closed() == [client.slot])
    #expect(bench.core.counters.failedAuthentications == 2)
  }

  @Test func `nobody's token counts before it is known what time it is`() throws {
    var bench = Bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    #expect(bench.heard(client).first?.contains(Self.unauthenticated) == true)
    bench.core.wallClock(says: Self.start * 1_000, atMilliseconds: 1_000)
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    #expect(bench.heard(client) == [name("login/ada")])
  }

  @Test func `a token may be as long as a message of who is not known, and no longer`() throws {
    let padding = { (count: Int) in #","x":"\#(String(repeating: "x", count: count))""# }
    let whole = try token("ada", lasting: 60, padding(900))
    let tokenBytes = whole.utf8.count
    var bench = bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(whole), from: client)
    // Who is known may send longer messages, but no longer tokens.
    bench.core.reconfigure(try configuration { $0.unauthenticatedBytes = tokenBytes })
    bench.send(authenticate(whole), from: client)
    bench.core.reconfigure(try configuration { $0.unauthenticatedBytes = tokenBytes - 1 })
    bench.send(authenticate(whole), from: client)
    let heard = bench.heard(client)
    #expect(heard.prefix(2) == [name("login/ada"), name("login/ada")])
    #expect(heard.count == 3 && heard[2].contains(Self.unauthenticated))
  }

  @Test func `a few signatures are enough for a turn, whoever sent them`() throws {
    var bench = bench(try configuration())
    let signed = authenticate(try token("ada", lasting: 60))
    for _ in 0..<4 {
      #expect(bench.core.hasWorkedMuch == false)
      bench.send(signed, from: bench.connect())
    }
    #expect(bench.core.hasWorkedMuch == true)
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.hasWorkedMuch == false)
  }

  @Test func `a subject that a principal names has its name, its keys and its rules`() throws {
    var ada = PrincipalOptions(name: "ada")
    ada.subjects = [IssuedSubject(issuer: "login", subject: "ada")]
    ada.rules.methods = [.init("n")]
    var bench = bench(try configuration { $0.principals = [ada] })
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)) + line("1", "m") + line("2", "n"), from: client)
    #expect(bench.heard(client).first == name("ada"))
    #expect(bench.asked().count == 1 && bench.core.counters.forbidden == 1)
  }

  @Test func `the issuer's rules are those of all whom no principal names`() throws {
    var bench = bench(try configuration { $0.issuers[0].rules.mayInspect = false })
    let client = bench.connect()
    bench.send(
      authenticate(try token("ada", lasting: 60)) + line("1", "lastword.inspect", params: #"{"key":"k"}"#),
      from: client)
    #expect(bench.heard(client).last?.contains("-32088") == true)
  }

  @Test func `neither another subject nor another issuer's meets a key under any policy`() throws {
    let other = try TestKey(.ed25519)
    let configuration = try configuration {
      var second = IssuerOptions(name: "second", issuer: "https://second.example", audiences: ["lastword"])
      second.keys = try JSONWebKeySet(Array(TestKey.set([other]).utf8))
      $0.issuers.append(second)
    }
    let claims = #"{"iss":"https://second.example","aud":"lastword","sub":"ada","exp":\#(Self.start + 60)}"#
    let tokens = [try token("ada", lasting: 60), try token("eve", lasting: 60), try other.token(claims)]
    for policy in DuplicatePolicy.allCases {
      var bench = bench(configuration)
      let clients = tokens.map { _ in bench.connect() }
      let task = #"{"key":"k","policy":"\#(policy.wireName)"}"#
      for (client, token) in zip(clients, tokens) {
        bench.send(authenticate(token) + line("1", "m", params: "[1]", task: task), from: client)
      }
      #expect(bench.asked().count == 3 && bench.core.keyCount == 3, "\(policy)")
      for client in clients { #expect(bench.heard(client).count == 1, "\(policy)") }
    }
  }

  @Test func `who shares a namespace by a claim meets the others' keys`() throws {
    var bench = bench(try configuration { $0.issuers[0].terms.namespaceClaim = "org" })
    let (ada, eve) = (bench.connect(), bench.connect())
    let task = #"{"key":"k"}"#
    for (client, name) in [(ada, "ada"), (eve, "eve")] {
      let token = try token(name, lasting: 60, #","org":"team""#)
      bench.send(authenticate(token) + line("1", "m", task: task), from: client)
    }
    #expect(bench.heard(ada).last?.contains("-32080") == true)
  }

  // MARK: Ends

  @Test func `a token that ends ends its connection, and takes its work back`() throws {
    var bench = bench(try configuration())
    let (ada, eve) = (bench.connect(), bench.connect())
    bench.send(authenticate(try token("ada", lasting: 60)) + line("1", "m", task: #"{"key":"k"}"#), from: ada)
    bench.send(authenticate(try token("eve", lasting: 90)) + line("1", "m", task: #"{"key":"k"}"#), from: eve)
    _ = (bench.heard(ada), bench.heard(eve), bench.asked())
    bench.timePasses(59_999)
    #expect(bench.heard(ada) == [] && bench.closed().isEmpty)
    bench.timePasses(1)
    let heard = bench.heard(ada)
    #expect(heard.count == 1 && heard[0].contains(#""id":null,"# + Self.unauthenticated), "\(heard)")
    #expect(heard[0].contains("the token has expired"))
    #expect(bench.closed() == [ada.slot] && bench.core.counters.tokensEnded == 1)
    #expect(bench.asked().count == 1, "upstream is told that one of the two is not wanted any more")
    bench.timePasses(30_000)
    #expect(bench.closed() == [ada.slot, eve.slot] && bench.core.counters.tokensEnded == 2)
  }

  @Test func `once no token is left that could end nobody asks for the time any more`() throws {
    var bench = bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    bench.core.clientDisconnected(client)
    bench.timePasses(60_000)
    #expect(bench.core.nextDueMilliseconds == nil && bench.core.leftovers == [])
  }

  @Test func `a newer token of the same principal keeps the connection, and its requests`() throws {
    var bench = bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)) + line("1", "m"), from: client)
    bench.timePasses(59_000)
    bench.send(authenticate(try token("ada", lasting: 120)), from: client)
    bench.timePasses(60_999)
    #expect(bench.closed().isEmpty && bench.core.liveRequestCount == 1)
    #expect(bench.heard(client).prefix(2) == [name("login/ada"), name("login/ada")])
    bench.timePasses(1)
    #expect(bench.closed() == [client.slot])
  }

  @Test func `a token that ends sooner does not take the place of one that ends later`() throws {
    var bench = bench(try configuration())
    let client = bench.connect()
    for seconds: Int64 in [120, 60] {
      bench.send(authenticate(try token("ada", lasting: seconds)), from: client)
    }
    #expect(bench.heard(client) == [name("login/ada"), name("login/ada")])
    bench.timePasses(119_999)
    #expect(bench.closed().isEmpty)
    bench.timePasses(1)
    #expect(bench.closed() == [client.slot] && bench.core.counters.tokensEnded == 1)
  }

  @Test func `what a connection is known by without an end stays, whatever token it presents`() throws {
    var ada = PrincipalOptions(name: "ada")
    ada.subjects = [IssuedSubject(issuer: "login", subject: "ada")]
    ada.users = [1]
    var bench = bench(try configuration { $0.principals = [ada] })
    let client = bench.core.clientConnected(listener: 0, .user(1))!
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    #expect(bench.heard(client) == [name("ada")])
    bench.timePasses(60_000)
    #expect(bench.closed().isEmpty)
    // Its user does not count any more, and the token has ended.
    ada.users = []
    bench.core.reconfigure(try configuration { $0.principals = [ada] })
    #expect(bench.closed() == [client.slot] && bench.core.counters.clientsRevoked == 1)
  }

  @Test func `somebody else's token does not keep it, and is not taken for its own`() throws {
    var bench = bench(try configuration { $0.issuedPrincipals = 1 })
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    bench.send(authenticate(try token("eve", lasting: 600)), from: client)
    #expect(bench.heard(client).last?.contains("-32088") == true)
    #expect(bench.core.counters.principalsRefused == 0)
    bench.timePasses(60_000)
    #expect(bench.closed() == [client.slot])
  }

  @Test func `a clock that is set ends tokens at once, or later`() throws {
    var bench = bench(try configuration())
    let (ada, eve) = (bench.connect(), bench.connect())
    bench.send(authenticate(try token("ada", lasting: 60)), from: ada)
    bench.send(authenticate(try token("eve", lasting: 6_000)), from: eve)
    // It is asked for each second while a token may end.
    #expect(bench.core.nextDueMilliseconds == 2_000)
    bench.core.wallClock(says: (Self.start - 3_600) * 1_000, atMilliseconds: 2_000)
    bench.timePasses(100_000)
    #expect(bench.closed().isEmpty)
    bench.core.wallClock(says: (Self.start + 60) * 1_000, atMilliseconds: 101_000)
    bench.timePasses(1)
    #expect(bench.closed() == [ada.slot])
  }

  @Test func `a clock that nobody tells is asked for once a second, and not all the time`() throws {
    var bench = bench(try configuration())
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    for second in 1...5 {
      #expect(bench.core.nextDueMilliseconds == 1_000 + UInt64(second) * 1_000)
      bench.timePasses(1_000)
    }
  }

  // MARK: Reloading

  @Test func `a key that a reload takes away ends the connections of its tokens`() throws {
    let new = try TestKey(.p256, id: "2")
    var bench = bench(try configuration { $0.issuers[0] = try issuer([key, new]) })
    let (old, young) = (bench.connect(), bench.connect())
    bench.send(authenticate(try token("ada", lasting: 60)) + line("1", "m", task: #"{"key":"k"}"#), from: old)
    bench.send(authenticate(try token("eve", lasting: 60, key: new)), from: young)
    _ = (bench.heard(old), bench.heard(young), bench.asked())
    bench.core.reconfigure(try configuration { $0.issuers[0] = try issuer([new]) })
    #expect(bench.heard(old).first?.contains(#""id":null,"# + Self.unauthenticated) == true)
    #expect(bench.closed() == [old.slot] && bench.asked().count == 1)
    #expect(bench.core.counters.clientsRevoked == 1 && bench.core.liveRequestCount == 0)
  }

  @Test func `a leeway that a reload takes away ends what it kept`() throws {
    var bench = bench(try configuration { $0.issuers[0].leewayMilliseconds = 30_000 })
    let client = bench.connect()
    bench.send(authenticate(try token("ada", lasting: 60)), from: client)
    bench.timePasses(70_000)
    #expect(bench.closed().isEmpty)
    bench.core.reconfigure(try configuration())
    _ = bench.heard(client)
    #expect(bench.closed() == [client.slot] && bench.core.counters.tokensEnded == 1)
  }

  // MARK: Bounds

  @Test func `beyond the bound somebody new is refused, and comes in once another one is gone`() throws {
    var bench = bench(try configuration { $0.issuedPrincipals = 2 })
    let (ada, eve, bob) = (bench.connect(), bench.connect(), bench.connect())
    bench.send(
      authenticate(try token("ada", lasting: 600)) + line("1", "m", task: #"{"key":"k"}"#), from: ada)
    bench.send(authenticate(try token("eve", lasting: 600)), from: eve)
    bench.send(authenticate(try token("bob", lasting: 600)), from: bob)
    let refused = #""code":-32082,"message":"too many principals","data":{"upstream":"notSent"}"#
    #expect(bench.heard(bob).first?.contains(refused) == true)
    #expect(bench.core.counters.principalsRefused == 1 && bench.core.counters.failedAuthentications == 0)
    // Who is one of them may have more connections.
    let again = bench.connect()
    bench.send(authenticate(try token("eve", lasting: 600)), from: again)
    #expect(bench.heard(again) == [name("login/eve")])
    let request = bench.asked().joined()
    #expect(bench.heard(ada) == [name("login/ada")])
    // Ada is gone, but upstream still works on her key.
    bench.core.clientDisconnected(ada)
    bench.timePasses(1_000)
    #expect(bench.core.keyCount == 1)
    let carol = bench.connect()
    bench.send(authenticate(try token("carol", lasting: 600)), from: carol)
    #expect(bench.heard(carol).first?.contains("-32082") == true)
    let asked = try #require(request.firstMatch(of: /"id":(\d+)/))
    bench.answer(result(String(asked.1), "null") + "\n")
    bench.timePasses(1_000)
    bench.send(authenticate(try token("carol", lasting: 600)), from: carol)
    #expect(bench.heard(carol) == [name("login/carol")])
    // What ada asked is counted still, though nobody has her name.
    #expect(!bench.core.principalViews.contains { $0.name == "login/ada" })
    #expect(bench.core.principalTally.requests == 1)
  }

  @Test func `all are looked through for room once a second at most`() throws {
    var bench = bench(try configuration { $0.issuedPrincipals = 1 })
    let (ada, eve) = (bench.connect(), bench.connect())
    bench.send(authenticate(try token("ada", lasting: 600)), from: ada)
    bench.send(authenticate(try token("eve", lasting: 600)), from: eve)
    bench.core.clientDisconnected(ada)
    bench.timePasses(999)
    bench.send(authenticate(try token("eve", lasting: 600)), from: eve)
    bench.timePasses(1)
    bench.send(authenticate(try token("eve", lasting: 600)), from: eve)
    let heard = bench.heard(eve)
    #expect(heard.count == 3 && heard[1].contains("-32082") && heard[2] == name("login/eve"), "\(heard)")
  }

  @Test func `to check a signature is paid for by who asks for it`() throws {
    var bench = bench(try configuration { $0.turnMessages = 33 })
    let client = bench.connect()
    let token = authenticate(try token("ada", lasting: 60))
    bench.sendInTurn(token + line("1", "lastword.ping") + line("2", "lastword.ping"), from: client)
    #expect(bench.heard(client).count == 1)
    bench.core.goOn()
    #expect(bench.heard(client) == [result("1", "null"), result("2", "null")])
  }
}
