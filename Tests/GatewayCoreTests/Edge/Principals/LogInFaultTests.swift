import GatewayCore
import Identity
import TestSupport
import Testing

/// What the audit trail and the counters say of why somebody was not let in, and what its client does not hear.
@Suite struct LogInFaultTests {
  /// Seconds since 1970.
  private static let now: Int64 = 1_800_000_000
  private let key: TestKey
  private let configuration: GatewayConfiguration

  init() throws {
    key = try TestKey(.ed25519)
    var issuer = IssuerOptions(name: "login", issuer: "https://login.example", audiences: ["lastword"])
    issuer.keys = try JSONWebKeySet(Array(TestKey.set([key]).utf8))
    issuer.leewayMilliseconds = 0
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.issuers = [issuer]
    configuration.unauthenticatedBytes = 2_000
    self.configuration = configuration
  }

  private func bench(knowsTime: Bool = true) -> Bench {
    var bench = Bench(configuration)
    bench.core.audit(true)
    if knowsTime { bench.core.wallClock(says: Self.now * 1_000, atMilliseconds: 1_000) }
    return bench
  }

  private func token(
    end: Int64 = now + 60, issuer: String = "https://login.example", audience: String = "lastword",
    _ more: String = "", header: String? = nil, key: TestKey? = nil
  ) throws -> String {
    let claims = #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"ada","exp":\#(end)\#(more)}"#
    return try (key ?? self.key).token(claims, header: header)
  }

  private func authenticate(_ token: String, _ id: String = "1") -> String {
    line(id, "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
  }

  private func faults(_ bench: inout Bench) -> [LogInFault] {
    bench.core.takeAuditEvents().events.compactMap {
      if case .authenticationFailed(let fault) = $0.kind { fault } else { nil }
    }
  }

  /// Tokens that do not count, each with why.
  private func wrong() throws -> [(LogInFault, String)] {
    let other = try TestKey(.ed25519)
    return [
      (.unknown, "lw_nobody"), (.unknown, ""), (.unknown, "a.b"), (.unknown, "a.b.c.d"),
      (.signed(.form), ".."), (.signed(.form), "a.b.c"),
      (.signed(.repeatedMember), try token(#","sub":"eve""#)),
      (.signed(.extensions), try token(header: #"{"alg":"EdDSA","kid":"1","crit":["exp"]}"#)),
      (.signed(.kind), try token(header: #"{"alg":"EdDSA","kid":"1","typ":"logout+jwt"}"#)),
      (.signed(.claim), try token(header: #"{"kid":"1"}"#)),
      (.signed(.issuer), try token(issuer: "https://evil.example")),
      (.signed(.audience), try token(audience: "others")),
      (.signed(.key), try token(header: #"{"alg":"EdDSA","kid":"2"}"#)),
      (.signed(.algorithm), try token(header: #"{"alg":"none","kid":"1"}"#)),
      (.signed(.signature), try token(key: other)), (.signed(.expired), try token(end: Self.now)),
      (.signed(.notYetValid), try token(#","nbf":\#(Self.now + 1)"#)),
    ]
  }

  @Test func `each way in which a token does not count is told by a word of its own`() throws {
    var bench = bench()
    let wrong = try wrong()
    for (fault, token) in wrong {
      let client = bench.connect()
      bench.send(authenticate(token), from: client)
      #expect(faults(&bench) == [fault])
      // Its client hears the same of all.
      #expect(
        bench.heard(client)
          == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32087,"message":"unauthenticated"}}"#])
    }
    #expect(bench.core.counters.failedAuthentications == UInt64(wrong.count))
    let counts = bench.core.logInFaults.samples
    #expect(counts.reduce(0) { $0 + $1.count } == UInt64(wrong.count))
    for (reason, count) in counts {
      #expect(count == UInt64(wrong.count { $0.0.word == reason }), "\(reason)")
    }
  }

  @Test func `before it is known what time it is, that is why`() throws {
    var bench = bench(knowsTime: false)
    bench.send(authenticate(try token()), from: bench.connect())
    #expect(faults(&bench) == [.signed(.noClock)])
  }

  @Test func `who is known may send longer messages, but a token that is too long is told as that`() throws {
    var bench = bench()
    let client = bench.connect()
    let limit = configuration.unauthenticatedBytes
    bench.send(authenticate(try token()), from: client)
    for count in [limit, limit + 1] {
      bench.send(authenticate(String(repeating: "x", count: count)), from: client)
    }
    #expect(faults(&bench) == [.unknown, .tooLong])
  }

  @Test func `what comes behind the last attempt is told as that, be it right`() throws {
    var bench = bench()
    let wrong = Array(repeating: authenticate("x"), count: configuration.authenticateAttempts)
    let items = (wrong + [authenticate(try token())]).map { $0.dropLast() }
    bench.send("[" + items.joined(separator: ",") + "]\n", from: bench.connect())
    #expect(
      faults(&bench)
        == Array(repeating: .unknown, count: configuration.authenticateAttempts) + [.tooManyAttempts])
  }

  @Test func `who was known and is so no more in this turn is told as that`() throws {
    var bench = bench()
    let client = bench.connect()
    let right = authenticate(try token())
    bench.send(right, from: client)
    var without = configuration
    without.issuers[0].keys = try JSONWebKeySet(Array(TestKey.set([try TestKey(.ed25519, id: "2")]).utf8))
    bench.core.reconfigure(without)
    bench.core.reconfigure(configuration)
    bench.send(right, from: client)
    #expect(faults(&bench) == [.revoked])
  }

  @Test func `who finds no place among those whom an issuer knows is told of`() throws {
    var configuration = configuration
    configuration.issuedPrincipals = 0
    var bench = Bench(configuration)
    bench.core.audit(true)
    bench.core.wallClock(says: Self.now * 1_000, atMilliseconds: 1_000)
    bench.send(authenticate(try token()), from: bench.connect())
    #expect(bench.core.takeAuditEvents().events.map(\.kind) == [.overQuota(reason: "too many principals")])
  }

  @Test func `the words are of a fixed list, each once`() {
    let words = LogInFault.allCases.map(\.word)
    #expect(Set(words).count == words.count && words.count == TokenFault.allCases.count + 4)
    #expect(words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == " " } })
  }
}
