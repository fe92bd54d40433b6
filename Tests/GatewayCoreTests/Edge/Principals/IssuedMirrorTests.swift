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
}
