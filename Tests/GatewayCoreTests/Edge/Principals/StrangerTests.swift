import GatewayCore
import Identity
import JSONRPC
import TaskStore
import Testing

/// What somebody else can do while a principal's request runs: nothing, and it cannot even tell that there is one.
@Suite struct StrangerTests {
  /// Who is not ada.
  enum Stranger: CaseIterable {
    case noToken, wrongToken, anotherPrincipal

    /// What it says first.
    var introduction: String {
      switch self {
      case .noToken: ""
      case .wrongToken: StrangerTests.authenticate("x")
      case .anotherPrincipal: StrangerTests.authenticate("e")
      }
    }
  }

  /// What a request says of others of its key, besides the policy.
  static let wishes: [(own: String, strangers: String)] = [
    ("", ""), (#","join":"identical""#, #","join":"identical""#),
    (#","join":"always""#, #","join":"always""#),
    (#","join":"never""#, #","join":"never""#), (#","superseded":"follow""#, #","superseded":"follow""#),
    (#","order":9"#, #","order":3"#),
  ]

  /// Requests of the gateway's own methods, and what else takes back.
  static let ownRequests: [(method: String, params: String)] =
    [
      ("lastword.cancel", #"{"id":7}"#),
      ("lastword.cancel", #"{"key":"k"}"#), ("lastword.cancel", #"{"key":"k","scope":"shared"}"#),
      ("lastword.cancel", #"{"key":"k","scope":"connection"}"#),
      ("lastword.cancel", #"{"group":"g"}"#), ("lastword.cancel", #"{"group":"g","scope":"connection"}"#),
      ("lastword.cancel", #"{"group":"g","scope":"principal"}"#),
      ("lastword.inspect", #"{"key":"k"}"#), ("lastword.inspect", #"{"key":"k","scope":"shared"}"#),
      ("lastword.inspect", #"{"key":"k","scope":"connection"}"#),
      ("lastword.authenticate", #"{"token":"y"}"#), ("lastword.authenticate", #"{"token":""}"#),
      ("lastword.authenticate", "{}"),
      ("lastword.ping", "[]"), ("rpc.discover", "[]"), ("$/cancelRequest", #"{"id":7}"#),
    ]

  private static func authenticate(_ token: String) -> String {
    line("0", "lastword.authenticate", params: #"{"token":"\#(token)"}"#)
  }

  private static func wrapped(_ id: String, _ method: String, params: String, task: String? = nil) -> String {
    let task = task.map { #","task":\#($0)"# } ?? ""
    return line(id, "lastword.call", params: #"{"method":"\#(method)","params":\#(params)\#(task)}"#)
  }

  /// Every route allows all that a request can wish for.
  private static func configuration() throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = try ["ada", "eve"].map { name in
      var principal = PrincipalOptions(name: name)
      let token = TokenDigest(of: Array(name.utf8.prefix(1)))
      principal.tokens = [try #require(token, "these tests need OpenSSL")]
      return principal
    }
    var route = Route(method: "")
    route.isPrefix = true
    route.join = .always
    route.superseded = .follow
    configuration.routes = [route]
    return configuration
  }

  /// What came of it when a stranger said something.
  private struct Outcome {
    /// All that it heard until the end.
    var heard: [String] = []
    /// What upstream was sent because of it.
    var asked: [String] = []
    /// How many tasks that began, before upstream answered anything.
    var tasks = 0
  }

  /// Has a stranger say something, and upstream answer all that comes of it.
  /// - Parameter request: ada's, which runs meanwhile; nil: there is none.
  private func outcome(
    _ configuration: GatewayConfiguration, _ stranger: Stranger, says text: String, besides request: String?
  ) -> Outcome {
    var bench = Bench(configuration)
    let ada = bench.connect()
    bench.send(Self.authenticate("a") + (request ?? ""), from: ada)
    #expect(bench.heard(ada).count == 1)
    let own = bench.asked()
    #expect(own.count == (request == nil ? 0 : 1))
    let before = state(of: &bench, ada)
    let client = bench.connect()
    bench.send(stranger.introduction + text, from: client)
    #expect(bench.heard(ada) == [])
    #expect(state(of: &bench, ada) == before)
    var outcome = Outcome(heard: bench.heard(client), asked: bench.asked())
    outcome.tasks = bench.core.taskCount - own.count
    if request != nil {
      bench.answer(result(id(in: own.first ?? ""), "[1]") + "\n")
      #expect(bench.heard(ada) == [result("7", "[1]")])
    }
    var open = outcome.asked
    while !open.isEmpty {
      for asked in open where Self.isRequest(asked) {
        bench.answer(result(id(in: asked), "[2]") + "\n")
      }
      open = bench.asked()
      outcome.asked += open
    }
    outcome.heard += bench.heard(client)
    #expect(bench.heard(ada) == [] && bench.core.taskCount == 0)
    return outcome
  }

  /// Whether upstream owes an answer: what cancels there is a notification, unless a client made a request of it.
  private static func isRequest(_ asked: String) -> Bool {
    asked.contains(#""method":"m""#) || asked.contains(#""id":"#) && asked.contains("notifications/cancelled")
  }

  /// What ada sees of the key.
  private func state(of bench: inout Bench, _ ada: ClientID) -> [String] {
    bench.send(line("1", "lastword.inspect", params: #"{"key":"k"}"#), from: ada)
    return bench.heard(ada)
  }

  private func id(in asked: String) -> String {
    asked.firstMatch(of: /"id":(\d+)/).map { String($0.1) } ?? "none"
  }

  /// But for numbers that rise with whatever anybody asks.
  private func withoutGenerations(_ texts: [String]) -> [String] {
    texts.map { $0.replacing(/"(generation|supersededBy)":\d+/) { #""\#($0.1)":0"# } }
  }

  private func withoutIDs(_ texts: [String]) -> [String] {
    texts.map { $0.replacing(/"id":\d+/, with: #""id":0"#) }
  }

  /// The stranger can neither do anything nor tell that there is something.
  private func expectNothing(
    _ configuration: GatewayConfiguration, _ stranger: Stranger, says text: String, besides request: String
  ) {
    let beside = outcome(configuration, stranger, says: text, besides: request)
    let alone = outcome(configuration, stranger, says: text, besides: nil)
    let said = "\(stranger) says \(text) beside \(request)"
    #expect(withoutGenerations(beside.heard) == withoutGenerations(alone.heard), "\(said)")
    #expect(withoutIDs(beside.asked) == withoutIDs(alone.asked), "\(said)")
    #expect(beside.tasks == alone.tasks, "\(said)")
  }

  private func task(_ policy: DuplicatePolicy, _ wish: String) -> String {
    #"{"key":"k","policy":"\#(policy.wireName)","group":"g"\#(wish)}"#
  }

  private static func isAllowed(_ wish: String, _ policy: DuplicatePolicy) -> Bool {
    if wish.contains("follow") { return policy.allowsFollowing }
    if wish.contains("always") { return policy.allows(.always) }
    return wish.contains("identical") ? policy.allows(.identical) : true
  }

  // MARK: Requests

  @Test(arguments: Stranger.allCases, DuplicatePolicy.allCases)
  func `a request of the same key meets no other's under any policy, whatever it wishes for`(
    stranger: Stranger, policy: DuplicatePolicy
  ) throws {
    let configuration = try Self.configuration()
    for wish in Self.wishes {
      // Not every policy goes with every wish: a stranger that says so all the same is refused, and ada does not.
      let own = task(policy, Self.isAllowed(wish.own, policy) ? wish.own : "")
      let others = task(policy, wish.strangers)
      let requests = [line("7", params: "[1]", task: own), Self.wrapped("7", "m", params: "[1]", task: own)]
      let texts = [
        line("7", params: "[1]", task: others), Self.wrapped("7", "m", params: "[1]", task: others),
      ]
      for (request, text) in zip(requests, texts) {
        expectNothing(configuration, stranger, says: text, besides: request)
        // The second of its own meets the first.
        expectNothing(configuration, stranger, says: text + text, besides: request)
      }
    }
  }

  @Test(arguments: Stranger.allCases, DuplicatePolicy.allCases)
  func `a request of another policy meets no other's either`(
    stranger: Stranger, policy: DuplicatePolicy
  ) throws {
    let configuration = try Self.configuration()
    let request = line("7", params: "[1]", task: task(policy, ""))
    for other in DuplicatePolicy.allCases where other != policy {
      let text = line("7", params: "[1]", task: task(other, ""))
      expectNothing(configuration, stranger, says: text, besides: request)
    }
  }

  // MARK: The gateway's own methods

  @Test(arguments: Stranger.allCases, DuplicatePolicy.allCases)
  func `a method of the gateway's own reaches no other's request`(
    stranger: Stranger, policy: DuplicatePolicy
  ) throws {
    let configuration = try Self.configuration()
    let request = line("7", params: "[1]", task: task(policy, ""))
    for (method, params) in Self.ownRequests {
      let notification = #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"# + "\n"
      let texts = [
        line("2", method, params: params), Self.wrapped("2", method, params: params), notification,
      ]
      for text in texts { expectNothing(configuration, stranger, says: text, besides: request) }
    }
  }

  @Test(arguments: Stranger.allCases)
  func `a notification that cancels takes no other's request back`(stranger: Stranger) throws {
    let configuration = try Self.configuration()
    let request = line("7", params: "[1]", task: task(.cancel, ""))
    let params = #""params":{"requestId":7}}"#
    for text in [
      #"{"jsonrpc":"2.0","method":"notifications/cancelled",\#(params)"#,
      #"{"jsonrpc":"2.0","id":2,"method":"notifications/cancelled",\#(params)"#,
      #"{"jsonrpc":"2.0","method":"lastword.call","params":{"method":"notifications/cancelled",\#(params)}"#,
    ] {
      expectNothing(configuration, stranger, says: text + "\n", besides: request)
    }
  }

  @Test func `these are all methods of the gateway's own, and a call is one, too`() {
    let tried = Set(Self.ownRequests.map(\.method)).union(["lastword.call"])
    #expect(tried == Set(OwnMethod.names.map { "\($0.name)" }))
  }
}
