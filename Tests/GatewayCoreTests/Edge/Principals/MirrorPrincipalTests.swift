import GatewayCore
import Identity
import TaskStore
import Testing

/// Who clients of another loop are, and what a reload makes of that.
@Suite struct MirrorPrincipalTests {
  private static let unauthenticated = #""error":{"code":-32087,"#
  /// Of so many keys some are at each loop.
  private static let keys = 0..<16

  /// Users 1 and 2 are ada and reports, which are in one namespace.
  private static func configuration(
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = ["ada", "reports"].map { PrincipalOptions(name: $0) }
    configuration.principals[0].users = [1]
    configuration.principals[1].users = [2]
    configuration.principals[1].namespace = "ada"
    adjust(&configuration)
    return configuration
  }

  private static func requests(policy: String = "cancel") -> String {
    keys.map { line("\($0)", task: #"{"key":"k\#($0)","group":"g","policy":"\#(policy)"}"#) }.joined()
  }

  @Test func `a namespace that a reload changes is another one at all loops`() {
    var loops = LoopsBench(Self.configuration())
    let (ada, reports) = (loops.connect(1), loops.connect(2))
    _ = loops.ask(Self.requests(), ada)
    #expect(loops.far.core.liveRequestCount > 0 && loops.far.core.liveRequestCount < Self.keys.count)
    #expect(loops.count("lastword.inspect", Self.keys, reports) == Self.keys.count)
    let apart = Self.configuration { $0.principals[1].namespace = nil }
    loops.near.core.reconfigure(apart)
    loops.far.core.reconfigure(apart)
    #expect(loops.count("lastword.inspect", Self.keys, reports) == 0)
    #expect(loops.count("lastword.cancel", Self.keys, reports) == 0)
    #expect(loops.near.core.liveRequestCount == Self.keys.count, "ada's requests are still there")
    // It meets its own requests as before, from whichever connection.
    let again = loops.connect(2)
    _ = loops.ask(Self.requests(), reports)
    #expect(loops.count("lastword.inspect", Self.keys, again) == Self.keys.count)
    let cancelled = loops.ask(
      line("99", "lastword.cancel", params: #"{"group":"g","scope":"principal"}"#), again)
    #expect(cancelled == [result("99", #"{"cancelled":\#(Self.keys.count)}"#)])
  }

  @Test func `a principal that a reload removes is refused at whichever loop hears of that first`() {
    var loops = LoopsBench(Self.configuration { $0.principals[1].quotas.cancelsPerSecond = 1 })
    let reports = loops.connect(2)
    _ = loops.ask(Self.requests(), reports)
    let atFar = loops.far.core.liveRequestCount
    #expect(loops.far.asked().count == atFar)
    let without = Self.configuration { $0.principals.removeLast() }
    loops.far.core.reconfigure(without)
    let heard = loops.ask(Self.requests(), reports)
    #expect(heard.count { $0.contains(Self.unauthenticated) } == atFar)
    #expect(loops.far.asked().isEmpty && loops.near.closed().isEmpty)
    // What it takes back does nothing there any more, and breaks nothing.
    let cancels = Self.keys.map {
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#($0)}}"# + "\n"
    }
    _ = loops.ask(cancels.joined(), reports)
    loops.near.core.reconfigure(without)
    let last = loops.near.heard(reports).last
    #expect(last?.contains(#""id":null,"# + Self.unauthenticated) == true)
    loops.turn()
    #expect(loops.near.sink.closed == [reports.slot])
    #expect(loops.far.core.liveRequestCount == 0 && loops.far.core.connectionViews.isEmpty)
  }

  @Test func `what the gateway itself takes back is under no rate at other loops either`() {
    var loops = LoopsBench(Self.configuration { $0.principals[0].quotas.cancelsPerSecond = 1 })
    let ada = loops.connect(1)
    _ = loops.ask(Self.requests(), ada)
    #expect(loops.near.core.liveRequestCount == Self.keys.count && loops.far.core.liveRequestCount > 1)
    let isDone = loops.near.core.takeBack(Self.keys.map { Array("\($0)".utf8) }, of: ada)
    loops.turn()
    #expect(isDone && loops.far.core.liveRequestCount == 0 && loops.near.core.liveRequestCount == 0)
  }

  @Test func `who has presented a newer token stays when a reload takes the older one away`() throws {
    func digest(_ token: String) throws -> TokenDigest {
      try #require(TokenDigest(of: Array(token.utf8)), "these tests need OpenSSL")
    }
    func authenticate(_ token: String) -> String {
      line("0", "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
    }
    let (old, new) = (try digest("a"), try digest("b"))
    var loops = LoopsBench(Self.configuration { $0.principals[0].tokens = [old, new] })
    let ada = loops.connect()
    _ = loops.ask(authenticate("a") + Self.requests() + authenticate("b"), ada)
    let later = Self.configuration { $0.principals[0].tokens = [new] }
    loops.near.core.reconfigure(later)
    loops.far.core.reconfigure(later)
    #expect(loops.count("lastword.inspect", Self.keys, ada) == Self.keys.count)
    #expect(loops.near.closed().isEmpty)
  }

  @Test func `who was not asked is refused at whichever loop is to ask first`() {
    var loops = LoopsBench(Self.configuration { $0.listeners[0].asksWho = false })
    let client = loops.connect()
    _ = loops.ask(Self.requests(), client)
    let atFar = loops.far.core.liveRequestCount
    #expect(loops.far.asked().count == atFar)
    loops.far.core.reconfigure(Self.configuration())
    let heard = loops.ask(Self.requests(), client)
    #expect(heard.count { $0.contains(Self.unauthenticated) } == atFar)
    #expect(loops.far.asked().isEmpty && loops.near.closed().isEmpty)
    loops.near.core.reconfigure(Self.configuration())
    loops.turn()
    #expect(loops.near.closed() == [client.slot] && loops.far.core.liveRequestCount == 0)
  }

  // MARK: In a fleet

  @Test
  func `a member whose file has a principal no more serves nothing of it, whatever its own member says`() {
    let configuration = Self.configuration {
      $0.principals[1].rules.policies = [.wait]
      $0.principals[1].rules.mayCancelByKey = false
    }
    var loops = LoopsBench(configuration, ofMember: true)
    let (ada, reports) = (loops.connect(1), loops.connect(2))
    _ = loops.ask(Self.requests(), ada)
    _ = loops.ask(line("50", task: #"{"key":"own","policy":"wait"}"#), reports)
    #expect(loops.far.asked().count == Self.keys.count + 1)
    var without = configuration
    without.principals.removeLast()
    loops.far.core.reconfigure(without)
    // What is on its way comes before anybody hears of that.
    loops.near.send(line("51", "lastword.cancel", params: #"{"key":"k0"}"#) + Self.requests(), from: reports)
    loops.turn()
    #expect(loops.near.closed() == [reports.slot])
    let asked = loops.far.asked()
    #expect(asked.count == 1 && asked[0].contains("$/cancelRequest"), "\(asked)")
    #expect(loops.near.heard(ada) == [] && loops.far.core.liveRequestCount == Self.keys.count)
    #expect(loops.far.core.counters.clientsRevoked == 1)
    // Its own member still lets it in, and keys of the other one are out of its reach.
    let again = loops.connect(2)
    let heard = loops.ask(line("1", task: #"{"key":"k0","policy":"wait"}"#), again)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("does not know this client"))
    loops.far.core.reconfigure(configuration)
    _ = loops.ask(line("2", task: #"{"key":"other","policy":"wait"}"#), again)
    #expect(loops.far.asked().count == 1)
  }

  @Test(arguments: [ClientKind.stream, .exchange])
  func `whom another member's reload ends its own member notes, as if it had been its own`(kind: ClientKind) {
    var loops = LoopsBench(Self.configuration(), ofMember: true)
    loops.near.core.audit(true)
    let (ada, reports) = (loops.connect(1), loops.connect(2, as: kind))
    _ = loops.ask(Self.requests(), ada)
    _ = loops.ask(line("50", task: #"{"key":"own"}"#), reports)
    _ = loops.near.core.takeAuditEvents()
    loops.far.core.reconfigure(Self.configuration { $0.principals.removeLast() })
    loops.turn()
    #expect(loops.near.closed() == [reports.slot])
    let events = loops.near.core.takeAuditEvents().events
    #expect(events.map(\.kind) == [.revoked(reason: "another member does not know who it is any more")])
    #expect(events.map(\.principal) == ["reports"] && events.map(\.client) == [reports])
  }
}
