import GatewayCore
import JSONRPC
import TaskStore
import Testing

@testable import Configuration

/// What reaches the gateway: everything that is said.
@Suite struct CoreTests {
  @Test func `the defaults are the core's own`() {
    let standard = FileConfiguration()
    var core = GatewayConfiguration()
    core.listeners = [ListenerOptions()]
    core.server.clients = [ClientProtocols()]
    #expect("\(standard.core)" == "\(core)")
  }

  @Test func `no bound is ignored, and none sets another`() throws {
    let standard = FileConfiguration()
    for setting in BoundSettings.settings {
      guard case .integer(let range, _) = setting.form, case .integer(let usual)? = setting.standard else {
        Issue.record("\(setting.name) is no number")
        continue
      }
      // No smaller than a message.
      let other = setting.name == "memoryBytes" ? 1 << 30 : usual < range.upperBound ? usual + 1 : usual - 1
      let changed = try configuration("[bounds]\n\(setting.name) = \(other)")
      #expect("\(changed.core)" != "\(standard.core)", "\(setting.name)")
      #expect(setting.read(changed.bounds.values) == .integer(other), "\(setting.name)")
      for sibling in BoundSettings.settings where sibling.name != setting.name {
        #expect(sibling.read(changed.bounds.values) == sibling.standard, "\(setting.name): \(sibling.name)")
      }
    }
  }

  @Test func `no time at all is for ever`() throws {
    #expect(try configuration("[bounds]\ntimeoutMs = 0").core.timeoutMilliseconds == Admission.unlimited)
    #expect(try configuration("[bounds]\ntimeoutMs = 1").core.timeoutMilliseconds == 1)
    let shown = SettingList.text(of: try configuration("[bounds]\ntimeoutMs = 0"), showsOrigins: false)
    #expect(shown.contains("\ntimeoutMs = 0\n"))
    let route = try configuration("[[route]]\nmethod = 'a'\ntimeoutMs = 0").core.routes[0]
    #expect(route.timeoutMilliseconds == Admission.unlimited)
  }

  @Test func `how long the gateway drains is the server's matter`() throws {
    let core = try configuration("drainMs = 7").core
    #expect(core.server.drainMilliseconds == 7 && core.drainMilliseconds == 5_000)
  }

  /// Each says one thing about a listener, a principal, an upstream or a route.
  @Test(arguments: [
    (
      "listen", "address = '[::1]:1'",
      [
        "scope = 'connection'", "eof = 'cancel'", "errorProfile = 'lsp'",
        "protocols = ['lines']", "mcpPath = '/mcp'", "origins = ['https://a.example']",
        "hosts = ['a.example']",
        "auth = 'required'\n[[principal]]\nname = 'a'\nusers = ['1']",
      ]
    ),
    (
      "principal", "name = 'a'\nusers = ['1']",
      [
        "namespace = 'b'", "tokens = ['sha256:\(String(repeating: "0", count: 64))']", "methods = ['a']",
        "certificates = ['dns:a']",
        "policies = ['wait']", "cancelByKey = false", "inspect = false", "join = false",
        "connections = 9", "tasks = 9", "callers = 9", "payloadBytes = 9000", "requestsPerSecond = 9",
        "supersessionsPerSecond = 9", "cancelsPerSecond = 9",
      ]
    ),
    (
      "issuer", "name = 'a'\nissuer = 'i'\naudience = 'x'\nkeys = '/k'",
      [
        "principalClaim = 'b'", "namespaceClaim = 'b'", "leewayMs = 1", "methods = ['a']",
        "policies = ['wait']",
        "cancelByKey = false", "inspect = false", "join = false",
        "connections = 9", "tasks = 9", "callers = 9", "payloadBytes = 9000", "requestsPerSecond = 9",
        "supersessionsPerSecond = 9", "cancelsPerSecond = 9",
      ]
    ),
    (
      "upstream", "name = 'a'\naddress = 'tcp:a:1'",
      [
        "framing = 'content-length'", "trustAnswers = true", "perConnection = true", "hard = true",
        "passTask = true", "passFence = true", "passProgress = true",
        "cancel = 'mcp'", "cancel = 'notification'\ncancelMethod = 'a'",
        "cancel = 'notification'\ncancelMethod = 'a'\ncancelMember = 'b'",
        "cancel = 'notification'\ncancelMethod = 'a'\ncancelAnswered = false",
        "connectMs = 5", "answerMs = 5", "maxInFlight = 5", "maxInFlightPerConnection = 5",
        "maxWaiting = 5", "outputSoftBytes = 2000",
        "outputHardBytes = 2000000",
      ]
    ),
    (
      "route", "method = 'a'",
      [
        "key = '/a'", "key = '/a'\nkeyPrefix = 'b'", "priority = 6", "cancel = 'none'", "requireKey = true",
        "policy = 'wait'", "maxRunning = 2", "policies = ['cancel']", "join = 'identical'",
        "superseded = 'follow'",
        "compensate = 'b'", "timeoutMs = 1", "drainMs = 1", "debounceMs = 1", "debounceMs = 1\nmaxWaitMs = 2",
        "maxStaleMs = 1", "longestTimeoutMs = 60001", "longestDrainMs = 5001", "longestDebounceMs = 1",
        "longestMaxWaitMs = 1", "longestMaxStaleMs = 1",
      ]
    ),
  ])
  func `nothing that is said of a block is ignored`(name: String, required: String, others: [String]) throws {
    let block = "[[\(name)]]\n\(required)\n"
    var seen: Set = ["\(try configuration(block).core)"]
    for other in others {
      let changed = try configuration(block + other)
      #expect(seen.insert("\(changed.core)").inserted, "\(other)")
    }
    let settings = [
      // Mode and probes of a socket and TLS are the shell's matter, and who may reach it decides whether anything starts.
      "listen": ListenerSettings.settings.count - 3 - ListenerSettings.tlsSettings.count,
      // Those of a child, of HTTP and of TLS, and probes, are the transports' matter.
      "upstream": UpstreamSettings.settings.count - UpstreamSettings.commandSettings.count
        - UpstreamSettings.urlSettings.count - UpstreamSettings.exchangeSettings.count
        - UpstreamSettings.tlsSettings.count - 2,
      // Subjects need an issuer.
      "principal": PrincipalSettings.settings.count - 1,
      "issuer": IssuerSettings.settings.count,
      "route": RouteSettings.settings.count - 1,
    ]
    #expect(others.count + required.split(separator: "\n").count == settings[name])
  }

  @Test func `a block becomes what the core calls it`() throws {
    let text = """
      [[listen]]
      address = "[::1]:1"
      [[listen]]
      address = "[::1]:2"
      scope = "connection"
      eof = "cancel"
      errorProfile = "lsp"
      [[upstream]]
      name = "a"
      address = "tcp:a:1"
      [[upstream]]
      name = "b"
      address = "tcp:b:1"
      cancel = "none"
      connectMs = 7
      [[route]]
      method = "a/*"
      upstream = "b"
      key = "/k"
      [[route]]
      method = "a/b"
      compensate = "a/c"
      """
    let core = try configuration(text).core
    #expect(core.listeners.map(\.cancelsAtEnd) == [false, true])
    #expect(core.listeners.map(\.hidesSupersession) == [false, true])
    #expect(core.listeners.map(\.scope) == [.shared, .connection])
    #expect(core.upstreams.map(\.cancel) == [.lsp, .none])
    #expect(core.upstreams.map(\.connectMilliseconds) == [nil, 7])
    #expect(core.routes.map(\.method) == ["a/", "a/b"] && core.routes.map(\.isPrefix) == [true, false])
    #expect(core.routes.map(\.upstream) == [1, 0])
    #expect(core.routes[0].key?.text == "/k" && core.routes[1].compensation == "a/c")
  }

  @Test(arguments: [
    ("address = 'tcp:a:1'", false), ("address = 'tcp:a:1'\nhard = true", true),
    ("address = 'exec:a'\nhard = true", true),
  ])
  func `who has a connection for each request stops when that is closed`(upstream: String, stops: Bool) throws
  {
    let core = try configuration("[[upstream]]\nname = 'a'\n\(upstream)").core
    #expect(core.upstreams[0].stopsWhenAborted == stops)
  }

  @Test(.enabled(if: HTTPAddress.isBuilt), arguments: [("", false), ("\nstopsWhenAborted = true", true)])
  func `a server asked by HTTP stops if that is said of it`(said: String, stops: Bool) throws {
    let core = try configuration("[[upstream]]\nname = 'a'\naddress = 'http://a/'\(said)").core
    #expect(core.upstreams[0].stopsWhenAborted == stops)
  }

  @Test func `several addresses are as many endpoints, and children may print what they like`() throws {
    let core = try configuration(
      """
      [[upstream]]
      name = "a"
      addresses = ["tcp:a:1", "unix:/b"]
      [[upstream]]
      name = "b"
      addresses = ["exec:worker", "exec:worker"]
      perConnection = true
      """
    ).core
    #expect(core.upstreams.map(\.endpoints) == [2, 2])
    #expect(core.upstreams.map(\.toleratesNoise) == [false, true])
    #expect(core.upstreams.map(\.isPerConnection) == [false, true])
    #expect(core.upstreams.map(\.cancel) == [.lsp, .lsp])
  }

  @Test func `a connection's share of an upstream may be all that its addresses work on`() throws {
    let text = """
      [[upstream]]
      name = "a"
      addresses = ["tcp:a:1", "tcp:b:1"]
      maxInFlight = 4
      maxInFlightPerConnection = 8
      """
    #expect(try configuration(text).core.upstreams[0].inFlightPerConnection == 8)
    #expect(FileConfiguration().core.upstreams[0].inFlightPerConnection == nil)
  }

  @Test(arguments: [
    ("", 64), ("maxInFlight = 1000", 1_000), ("[bounds]\ninFlightPerEndpoint = 9", 9),
    ("maxInFlight = 10\n[bounds]\ninFlightPerEndpoint = 9", 10),
  ])
  func `where each request has a connection of its own, few are at work at once`(more: String, count: Int)
    throws
  {
    let text = "[[upstream]]\nname = 'a'\naddress = 'exec:worker'\nhard = true\n"
    let options = try configuration(text + more).core.upstreams[0]
    #expect(options.shape == .exchanges && options.cancel == .abort)
    #expect(options.inFlightPerEndpoint == count)
  }

  @Test func `how cancelling is said can be another for some methods`() throws {
    let core = try configuration(
      """
      [[upstream]]
      name = "a"
      address = "tcp:a:1"
      cancelMethod = "stop"
      cancelMember = "what"
      cancelAnswered = false
      [[route]]
      method = "slow/*"
      cancel = "notification"
      priority = 0
      key = "/uri"
      keyPrefix = "slow:"
      """
    ).core
    #expect(core.upstreams[0].cancel == .lsp && core.routes[0].cancel == .notification)
    #expect(
      core.upstreams[0].cancelNotification
        == CancelNotification(method: "stop", member: "what", isAnswered: false))
    #expect(core.routes[0].priority == 0 && core.routes[0].keyPrefix == Array("slow:".utf8))
  }

  @Test func `a cancel of its own names the request by id, and it is answered, unless it is said otherwise`()
    throws
  {
    let text = "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\ncancel = 'notification'\ncancelMethod = 'stop'"
    #expect(
      try configuration(text).core.upstreams[0].cancelNotification
        == CancelNotification(method: "stop", member: "id", isAnswered: true))
  }

  @Test func `the bounds of a message reach the scanner, each its own`() throws {
    let text = "[bounds]\nnestingLevels = 9\nidBytes = 20\nmethodBytes = 21\nkeyBytes = 22\ngroupBytes = 23\n"
    let core = try configuration(text).core
    #expect(core.scan == ScanLimits(nestingLevels: 9, idBytes: 20, methodBytes: 21))
    #expect(core.keyBytes == 22 && core.groupBytes == 23)
  }
}
