import GatewayCore
import Identity
import TestSupport
import Testing

/// Clients of another loop whom only an issuer knows.
@Suite struct IssuedMirrorTests {
  /// Seconds since 1970 at the start of a test.
  private static let start: Int64 = 1_800_000_000
  private static let keys = 0..<16
  private let key: TestKey

  init() throws { key = try TestKey(.ed25519) }

  private func configuration(
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    var issuer = IssuerOptions(name: "login", issuer: "https://login.example", audiences: ["lastword"])
    issuer.keys = try JSONWebKeySet(Array(TestKey.set([key]).utf8))
    configuration.issuers = [issuer]
    configuration.timeoutMilliseconds = 3_600_000
    adjust(&configuration)
    return configuration
  }

  private func bench(
    _ configuration: GatewayConfiguration, far: GatewayConfiguration? = nil, ofMember: Bool = false
  ) -> LoopsBench {
    var loops = LoopsBench(configuration, far: far, ofMember: ofMember)
    loops.near.core.wallClock(says: Self.start * 1_000, atMilliseconds: 1_000)
    loops.far.core.wallClock(says: Self.start * 1_000, atMilliseconds: 1_000)
    return loops
  }

  private func authenticate(_ subject: String, of organisation: String = "x") throws -> String {
    let token = try key.token(
      #"{"iss":"https://login.example","aud":"lastword","sub":"\#(subject)","org":"\#(organisation)","#
        + #""exp":\#(Self.start + 60)}"#)
    return line("0", "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
  }

  private static let requests = keys.map { line("\($0)", task: #"{"key":"k\#($0)"}"#) }.joined()

  // MARK: Namespaces

  @Test func `all of one organisation share their keys, whichever loop has them`() throws {
    var loops = bench(try configuration { $0.issuers[0].terms.namespaceClaim = "org" })
    let (ann, bob, eve) = (loops.connect(), loops.connect(), loops.connect())
    _ = loops.ask(try authenticate("ann", of: "acme") + Self.requests, ann)
    #expect(loops.far.core.liveRequestCount > 0 && loops.far.core.liveRequestCount < Self.keys.count)
    _ = loops.ask(try authenticate("bob", of: "acme"), bob)
    _ = loops.ask(try authenticate("bob", of: "other"), eve)
    #expect(loops.count("lastword.inspect", Self.keys, eve) == 0)
    #expect(loops.count("lastword.inspect", Self.keys, bob) == Self.keys.count)
    _ = loops.ask(Self.requests, bob)
    #expect(loops.near.heard(ann).count { $0.contains("-32080") } == Self.keys.count)
  }

  /// Those of all keys, in their order.
  private func partitions(
    _ subject: String, of organisation: String, _ loops: inout LoopsBench
  ) throws -> [String] {
    let client = loops.connect()
    _ = loops.ask(try authenticate(subject, of: organisation), client)
    loops.near.send(Self.requests, from: client)
    return loops.turn().matches(of: /partition (\d+)/).map { String($0.1) }
  }

  @Test func `in a fleet all of one organisation ask for a key in the same partition`() throws {
    var loops = bench(
      try configuration { $0.issuers[0].terms.namespaceClaim = "org" }, ofMember: true)
    let ann = try partitions("ann", of: "acme", &loops)
    let bob = try partitions("bob", of: "acme", &loops)
    let other = try partitions("ann", of: "other", &loops)
    #expect(ann.count == Self.keys.count && Set(ann).count > 1)
    #expect(bob == ann && other != ann)
    // The far loop has the namespace by the client's token.
    #expect(loops.far.core.counters.superseded == UInt64(Self.keys.count))
  }

  // MARK: How many

  /// Asks for all keys as somebody; returns what it hears.
  private func visit(_ subject: String, _ loops: inout LoopsBench, _ client: ClientID) throws -> [String] {
    loops.ask(try authenticate(subject) + Self.requests, client)
  }

  /// Upstream ends all that the far loop has told it of.
  private func endAll(_ loops: inout LoopsBench) {
    for asked in loops.far.asked() {
      let id = asked.firstMatch(of: /"id":(\d+)/).map { String($0.1) } ?? ""
      loops.far.answer(result(id, "0") + "\n")
    }
  }

  @Test(arguments: [false, true])
  func `a loop that nobody logs in to forgets who has gone`(isOfMember: Bool) throws {
    let far = try configuration { $0.issuedPrincipals = 1 }
    var loops = bench(try configuration(), far: far, ofMember: isOfMember)
    for subject in ["ada", "bob", "eve"] {
      loops.timePasses(1_000)
      let client = loops.connect()
      let heard = try visit(subject, &loops, client)
      #expect(heard == [result("0", #"{"principal":"login/\#(subject)"}"#)])
      #expect(loops.far.asked().count == loops.far.core.liveRequestCount)
      loops.near.core.clientDisconnected(client)
      loops.turn()
      endAll(&loops)
      #expect(loops.near.sink.closed.isEmpty)
    }
    #expect(loops.far.core.counters.principalsRefused == 0)
  }

  @Test(arguments: [false, true])
  func `who finds no room at another loop hears so, stays, and is served there once somebody has gone`(
    isOfMember: Bool
  ) throws {
    let far = try configuration { $0.issuedPrincipals = 1 }
    var loops = bench(try configuration(), far: far, ofMember: isOfMember)
    let (ada, bob) = (loops.connect(), loops.connect())
    _ = try visit("ada", &loops, ada)
    let atFar = loops.far.core.liveRequestCount
    #expect(loops.far.asked().count == atFar)
    let heard = try visit("bob", &loops, bob)
    let refused = heard.filter { $0.contains(#""error":{"code":-32082,"message":"too many principals""#) }
    // Which of the keys are there is another question for each principal, unless it is another member's loop.
    #expect(heard.count == 1 + refused.count && !refused.isEmpty && atFar > 0)
    if isOfMember { #expect(refused.count == Self.keys.count) }
    #expect(refused.allSatisfy { $0.contains(#""upstream":"notSent""#) })
    #expect(loops.near.closed().isEmpty && loops.far.core.counters.principalsRefused == 1)
    loops.near.core.clientDisconnected(ada)
    loops.turn()
    endAll(&loops)
    loops.timePasses(1_000)
    let key = refused.first?.firstMatch(of: /"id":(\d+)/)?.1 ?? ""
    let later = loops.ask(line("99", task: #"{"key":"k\#(key)"}"#), bob)
    #expect(later == [] && loops.far.core.liveRequestCount == 1)
  }
}
