import Configuration
import GatewayCore
import JSONRPC
import Testing

/// What is allowed, and hardly meant.
@Suite struct WarningTests {
  private static let end =
    " is for requests with a key, and this route has no 'key': those without one supersede nothing; "
    + "if all bring their own, say 'requireKey = true'"

  @Test(arguments: [
    ("policy = 'cancel'", "'policy'"), ("join = 'never'", "'join'"), ("debounceMs = 5", "'debounceMs'"),
    ("maxStaleMs = 5", "'maxStaleMs'"),
    ("maxRunning = 2", "'maxRunning'"),
  ])
  func `a route with a rule for keys and no key is told of, with its place`(rule: String, name: String) throws
  {
    let settings = try configuration("[[route]]\nmethod = 'm'\n\(rule)")
    let column = rule.firstIndex(of: "=").map { rule.distance(from: rule.startIndex, to: $0) + 3 } ?? 0
    #expect(settings.warnings.map(\.description) == ["lw.toml:3:\(column): warning: \(name)\(Self.end)"])
  }

  @Test(arguments: [
    "policy = 'wait'\nkey = '/k'", "policy = 'wait'\nrequireKey = true", "policy = 'concurrent'",
    "timeoutMs = 5", "",
  ])
  func `nothing is said where a key is given, required or not needed`(rules: String) throws {
    #expect(try configuration("[[route]]\nmethod = 'm'\n\(rules)").warnings == [])
  }

  @Test(arguments: [
    ("memoryBytes = 8_000_000", ["3:15"]), ("memoryBytes = 8_000_000\nmessageBytes = 2_000_001", ["4:16"]),
    ("messageBytes = 5_000_000\nmemoryBytes = 19_999_999", ["3:16"]),
    ("memoryBytes = 8_000_000\nmessageBytes = 2_000_000", []), ("memoryBytes = 0", []),
    ("messageBytes = 200_000_000", []),
  ])
  func `requests that there is never room for are told of, with their place`(bounds: String, places: [String])
    throws
  {
    let warnings = try configuration("\n[bounds]\n\(bounds)").warnings.map(\.description)
    #expect(warnings.map { $0.split(separator: " ")[0] } == places.map { "lw.toml:\($0):" })
    let parts = [" is more than ", ", a quarter of 'memoryBytes' ("]
    #expect(warnings.allSatisfy { warning in parts.allSatisfy { warning.contains($0) } })
  }

  @Test(arguments: [
    (
      "connections = 9\nconnectionsPerPrincipal = 10",
      ["4:27: 'connectionsPerPrincipal' (10)", "'connections' (9)"]
    ),
    (
      "waiters = 9\ncallersPerPrincipal = 10", ["4:23: 'callersPerPrincipal' (10)", "'waiters' (9)"]
    ),
    ("waiters = 9\ncallersPerPrincipal = 0", []),
    ("tasksPerConnection = 2_000_000", ["3:22: 'tasksPerConnection' (2000000)", "'tasks' (100000)"]),
    ("tasksPerLane = 9\nqueuePerLane = 10", ["4:16: 'queuePerLane' (10)", "'tasksPerLane' (9)"]),
    (
      "messageBytes = 2000\nunauthenticatedBytes = 2001",
      ["4:24: 'unauthenticatedBytes' (2001)", "'messageBytes' (2000)"]
    ),
    ("connections = 10\nconnectionsPerPrincipal = 10", []), ("connections = 9", []), ("tasks = 9", []),
    ("tasksPerLane = 9", []), ("waiters = 9", []), ("messageBytes = 2000", []),
    ("payloadBytes = 8_388_608", []),
  ])
  func `a bound of a part above that of the whole is told of, if somebody has given it`(
    text: String, words: [String]
  )
    throws
  {
    let warnings = try configuration("\n[bounds]\n\(text)").warnings.map(\.description)
    let whole =
      words.isEmpty
      ? []
      : ["lw.toml:" + words.joined(separator: " is more than ") + ", which bounds the same: it says nothing"]
    #expect(warnings.map { $0.replacing("warning: ", with: "") } == whole)
  }

  @Test func `a token for pages that there are not is told of`() throws {
    let token = "token = 'sha256:" + String(repeating: "0", count: 64) + "'"
    #expect(
      try configuration("[admin]\n" + token).warnings.map(\.description) == [
        "lw.toml:2:9: warning: 'token' of [admin] says nothing without 'address': there are no admin pages"
      ])
    #expect(try configuration("[admin]\naddress = '127.0.0.1:1'\n" + token).warnings == [])
  }

  // MARK: Principals

  @Test func `principals are told of where nobody has to log in`() throws {
    let principal = "[[principal]]\nname = 'a'\nusers = ['1']\n"
    let warning =
      "lw.toml:1:3: warning: no [[listen]] has auth = \"required\": clients need not log in, and no [[principal]] "
      + "or [[issuer]] counts"
    #expect(try configuration(principal).warnings.map(\.description) == [warning])
    let listen = "[[listen]]\naddress = 'unix:/a'\nauth = 'required'"
    #expect(try configuration(principal + listen).warnings == [])
  }

  @Test(arguments: [
    ("users = ['1']", "'users' need a unix: address"),
    ("certificates = ['dns:a']", "'certificates' need 'tls.clientCA'"),
    (
      "users = ['1']\ncertificates = ['dns:a']",
      "'users' need a unix: address, 'certificates' need 'tls.clientCA'"
    ),
  ])
  func `somebody whom no listener could tell is told of`(known: String, need: String) throws {
    let listen = "[[listen]]\nauth = 'required'\naddress = "
    let principal = "\n[[principal]]\nname = 'a'\n\(known)"
    let found = try configuration(listen + "'127.0.0.1:1'" + principal).warnings.map(\.description)
    #expect(
      found == [
        "lw.toml:4:3: warning: nobody can be 'a': \(need), and no [[listen]] with auth = \"required\" has that"
      ])
    let token = "\ntokens = ['sha256:" + String(repeating: "0", count: 64) + "']"
    #expect(try configuration(listen + "'127.0.0.1:1'" + principal + token).warnings == [])
    guard known.hasPrefix("users") else { return }
    #expect(try configuration(listen + "'unix:/a'" + principal).warnings == [])
  }

  @Test func `wrap tells what it has no use for`() throws {
    #expect(try configuration("[bounds]\ntasks = 9\n[[route]]\nmethod = 'm'").idleInWrap == [])
    let text = "[[listen]]\naddress = '127.0.0.1:1'\n[admin]\naddress = '127.0.0.1:2'"
    #expect(
      try configuration(text).idleInWrap.map(\.description).sorted() == [
        "lw.toml:1:3: warning: [[listen]] says nothing with lastword wrap",
        "lw.toml:3:2: warning: [admin] says nothing with lastword wrap",
      ])
  }

  // MARK: Contradictions

  @Test(arguments: [
    (
      "[bounds]\nmessageBytes = 2048\npieceBytes = 2049", "3:14",
      "'pieceBytes' (2049) is more than 'messageBytes' (2048)"
    ),
    (
      "[bounds]\nunreadPieceBytes = 900_000_000", "2:20",
      "'unreadPieceBytes' (900000000) is more than 'clientOutputHardBytes' ("
    ),
    (
      "[admin]\nconnections = 3\nstreams = 4", "3:11",
      "'streams' (4) of [admin] is more than 'connections' (3)"
    ),
    (
      "[bounds]\ntimeoutMs = 0\nlongestTimeoutMs = 1", "3:20",
      "'timeoutMs' (0) is without bound, and what requests say themselves may not be more than 'longestTimeoutMs' (1)"
    ),
    (
      "[[upstream]]\nname = 'a'\naddresses = ['tcp:a:1', 'tcp:b:1', 'tcp:a:1']", "3:13",
      "'addresses' has 'tcp:a:1' a second time"
    ),
  ])
  func `what contradicts another setting is told of`(text: String, place: String, words: String) throws {
    let warnings = try configuration(text).warnings.map(\.description)
    #expect(
      warnings.count == 1 && warnings[0].hasPrefix("lw.toml:\(place): warning: \(words)"), "\(warnings)")
  }

  @Test(arguments: [
    "[bounds]\ntimeoutMs = 0", "[admin]\nstreams = 4",
    "[[upstream]]\nname = 'a'\naddresses = ['exec:a', 'exec:a']",
    "[[upstream]]\nname = 'a'\naddresses = ['tcp:a:1', 'unix:/a']",
  ])
  func `and what does not is not`(text: String) throws {
    #expect(try configuration(text).warnings == [])
  }

  @Test(arguments: [("unix:/a", 5, 1), ("unix:/a", 60_000, 0), ("127.0.0.1:1", 5, 0)])
  func `who looks for vanished clients of a Unix socket is told of it`(address: String, ms: Int, count: Int)
    throws
  {
    let warnings = try configuration("[[listen]]\naddress = '\(address)'\nkeepAliveMs = \(ms)").warnings
    let wanted = "lw.toml:3:15: warning: 'keepAliveMs' says nothing without an address of TCP"
    #expect(warnings.map(\.description) == Array(repeating: wanted, count: count))
  }

  @Test(arguments: [
    ("unix:/a", 5, 1), ("exec:a", 0, 1), ("demo", 5, 1), ("demo", 60_000, 0), ("tcp:a:1", 5, 0),
  ])
  func `who looks for vanished upstreams without TCP is told of it`(address: String, ms: Int, count: Int)
    throws
  {
    let text = "[[upstream]]\nname = 'a'\naddress = '\(address)'\nkeepAliveMs = \(ms)"
    let wanted = "lw.toml:4:15: warning: 'keepAliveMs' says nothing without an address of TCP"
    #expect(try configuration(text).warnings.map(\.description) == Array(repeating: wanted, count: count))
  }

  @Test func `of several addresses one of TCP is enough for probes`() throws {
    let text = "[[upstream]]\nname = 'a'\naddresses = ['unix:/a', 'tcp:a:1']\nkeepAliveMs = 5"
    #expect(try configuration(text).warnings == [])
  }

  @Test func `connections of a principal beyond those of all are told of`() throws {
    let text = """
      [bounds]
      connections = 9
      [[listen]]
      address = 'unix:/a'
      auth = 'required'
      [[principal]]
      name = 'a'
      users = ['1']
      connections = 10
      """
    #expect(
      try configuration(text).warnings.map(\.description) == [
        "lw.toml:9:15: warning: 'connections' (10) is more than 'connections' (9) of [bounds], which bounds the same: "
          + "it says nothing"
      ])
    #expect(try configuration(text.replacing("= 10", with: "= 9")).warnings == [])
  }

  // MARK: The environment

  @Test func `a variable that looks like a setting and is none is told of`() throws {
    func warnings(_ environment: [String: String]) throws -> [String] {
      try FileConfiguration(ConfigurationSources(environment: environment)).warnings.map(\.description)
    }
    #expect(
      try warnings(["LASTWORD_WIBBLE": "1"])
        == ["environment LASTWORD_WIBBLE: warning: is no setting: nothing reads it"])
    // Of others: the command's, the tests', and of a service beside it in Kubernetes that is called lastword.
    for name in [
      "LASTWORD_TOKEN", "LASTWORD_BINARY", "LASTWORD_CONFIG", "LASTWORD_SERVICE_HOST",
      "LASTWORD_SERVICE_PORT",
      "LASTWORD_SERVICE_PORT_RPC", "LASTWORD_PORT", "LASTWORD_PORT_5278_TCP", "LASTWORD_PORT_5278_TCP_ADDR",
      "HOME",
    ] {
      #expect(try warnings([name: "tcp://10.0.0.1:5278"]) == [], "\(name)")
    }
    #expect(try warnings(["LASTWORD_LOOPS": "2"]) == [])
  }

  @Test func `wrap tells what its own words take the place of`() throws {
    let text =
      "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\nperConnection = false\nframing = 'lines'\ncancel = 'none'"
    var sources = ConfigurationSources(
      file: ("lw.toml", Array(text.utf8)),
      flags: [
        .flag("--", .upstream("address"), ["exec:a"]), .flag("--", .upstream("perConnection"), ["true"]),
        .usual("--", ofUpstream: "framing", "content-length"), .usual("--", ofUpstream: "cancel", "lsp"),
      ])
    let read = try FileConfiguration(sources)
    #expect(
      read.idleInWrap.map(\.description)
        == ["3:11: warning: 'address'", "4:17: warning: 'perConnection'"].map {
          "lw.toml:\($0) of [[upstream]] says nothing with lastword wrap, whose flags and words say it"
        })
    #expect(read.upstreams[0].framing == .lines && read.upstreams[0].values.dialect == .none)
    sources.file = nil
    let alone = try FileConfiguration(sources)
    #expect(alone.upstreams[0].framing == .contentLength && alone.idleInWrap == [])
    sources.file = ("lw.toml", Array((text + "\n[[upstream]]\nname = 'b'\naddress = 'tcp:a:2'").utf8))
    #expect(
      complaints(sources) == [
        "flag --: error: is for a file's only [[upstream]], and this one has 2: change them there"
      ])
  }
}
