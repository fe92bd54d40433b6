import GatewayCore
import Testing

@testable import Configuration

/// What contradicts itself in an upstream, or between a route and its upstream.
@Suite struct UpstreamErrorTests {
  @Test(arguments: [
    ("address = 'a:1'", "3:11: error: 'address' must be \(form), not 'a:1'; did you mean 'tcp:a:1'?"),
    ("address = 'exec:a \"'", "3:11: error: 'address' must be \(form): a \" of it is not closed"),
    // Several.
    ("addresses = []", "3:13: error: 'addresses' must not be empty"),
    ("addresses = 'demo'", "3:13: error: 'addresses' must be an array of strings, not a string"),
    (
      "addresses = ['tcp:a:1',\n 7]", "4:2: error: 'addresses' must be an array of strings, not of an integer"
    ),
    ("addresses = ['tcp:a:1',\n 'b']", "4:2: error: 'addresses' must be \(form), not 'b'"),
    (
      "addresses = ['tcp:a:1', 'unix:/a', 'exec:a']",
      "3:36: error: 'addresses' must all be of one kind: here stands a command, the first is a socket"
    ),
    (
      "address = 'demo'\naddresses = ['demo']",
      "4:13: error: 'address' and 'addresses' exclude each other: all belong in 'addresses'"
    ),
    (
      "addresses = ['demo']\naddress = 'demo'",
      "4:11: error: 'address' and 'addresses' exclude each other: all belong in 'addresses'"
    ),
    // Whose connection.
    (
      "address = 'tcp:a:1'\nhard = true\nperConnection = true",
      "5:17: error: 'hard' and 'perConnection' exclude each other: "
        + "a connection is there for one request, or for one client"
    ),
    // One connection's share.
    (
      "address = 'tcp:a:1'\nmaxInFlight = 4\nmaxInFlightPerConnection = 5",
      "5:28: error: 'maxInFlightPerConnection' (5) must not be more than all addresses work on at once (4)"
    ),
    (
      "addresses = ['tcp:a:1', 'tcp:b:1']\nmaxInFlightPerConnection = 9\nmaxInFlight = 4",
      "5:15: error: 'maxInFlightPerConnection' (9) must not be more than all addresses work on at once (8)"
    ),
    (
      "address = 'exec:a'\nhard = true\nmaxInFlightPerConnection = 65",
      "5:28: error: 'maxInFlightPerConnection' (65) must not be more than all addresses work on at once (64)"
    ),
    (
      "address = 'exec:a'\nperConnection = true\nmaxInFlightPerConnection = 1",
      "5:28: error: 'maxInFlightPerConnection' says nothing with 'perConnection', "
        + "where each client connection has all of it"
    ),
    ("address = 'demo'\nhard = true", "4:8: error: 'hard' says nothing with demo"),
    ("address = 'demo'\nframing = 'content-length'", "4:11: error: 'framing' must be 'lines' with demo"),
    (
      "address = 'exec:a'\nframing = 'line'",
      "4:11: error: 'framing' must be 'lines' or 'content-length', not 'line'; did you mean 'lines'?"
    ),
    // What trust needs.
    (
      "address = 'tcp:a:1'\ntrustAnswers = true\nframing = 'content-length'",
      "4:16: error: 'trustAnswers' must not be true without lines: "
        + "behind a header, an answer could hold a line break"
    ),
    (
      "address = 'exec:a'\nhard = true\ntrustAnswers = true",
      "5:16: error: 'trustAnswers' says nothing with 'hard', where each answer is read whole"
    ),
    (
      "address = 'http://a/'\ntrustAnswers = true",
      "4:16: error: 'trustAnswers' says nothing with http, where each request is an exchange of its own"
    ),
    (
      "address = 'exec:a'\nperConnection = true\npassFence = true",
      "5:13: error: 'passFence' says nothing with 'perConnection', whose keys no other member has"
    ),
    (
      "address = 'http://a/'\npassProgress = true",
      "4:16: error: 'passProgress' says nothing with http, where each request is an exchange of its own"
    ),
    (
      "address = 'exec:a'\nhard = true\npassProgress = true",
      "5:16: error: 'passProgress' says nothing with 'hard', where each request is an exchange of its own"
    ),
    (
      "address = 'exec:a'\nperConnection = true\npassProgress = true",
      "5:16: error: 'passProgress' says nothing with 'perConnection', "
        + "where each client hears all that its own upstream says"
    ),
    (
      "address = 'tcp:a:1'\ntrustAnswers = 'id'",
      "4:16: error: 'trustAnswers' must be true or false, not a string"
    ),
    // Cancelling.
    (
      "address = 'tcp:a:1'\ncancel = 'abort'",
      "4:10: error: 'cancel' must not be 'abort' without 'hard': the connection carries other requests, too"
    ),
    (
      "address = 'tcp:a:1'\ncancel = 'notification'",
      "4:10: error: 'cancel' must not be 'notification' without 'cancelMethod'"
    ),
    (
      "address = 'tcp:a:1'\ncancelMethod = 'stop'",
      "4:16: error: 'cancelMethod' says nothing: neither 'cancel' nor that of a route is 'notification'"
    ),
    (
      "address = 'tcp:a:1'\ncancelMember = 'id'",
      "4:16: error: 'cancelMember' says nothing without 'cancelMethod'"
    ),
    (
      "address = 'tcp:a:1'\ncancelAnswered = true",
      "4:18: error: 'cancelAnswered' says nothing without 'cancelMethod'"
    ),
    ("address = 'tcp:a:1'\ncancelMethod = ''", "4:16: error: 'cancelMethod' must be 1 to 4096 bytes, not ''"),
    // What only a command or a URL has.
    (
      "address = 'tcp:a:1'\ndirectory = '/'", "4:13: error: 'directory' says nothing without an exec: address"
    ),
    (
      "address = 'demo'\nenvironment = ['A=']",
      "4:15: error: 'environment' says nothing without an exec: address"
    ),
    ("address = 'unix:/a'\ngraceMs = 2000", "4:11: error: 'graceMs' says nothing without an exec: address"),
    (
      "address = 'exec:a'\nmaxConnections = 64",
      "4:18: error: 'maxConnections' says nothing without an http:, https: or mcp+http: address"
    ),
    (
      "address = 'mcp+http://a'\ndeadlineHeader = 'a'",
      "4:18: error: 'deadlineHeader' says nothing without an http: or https: address"
    ),
    (
      "address = 'mcp+http://a'\nperConnection = true",
      "4:17: error: 'perConnection' says nothing with mcp+http, where each client has a session of its own"
    ),
    (
      "address = 'mcp+http://a'\nframing = 'lines'",
      "4:11: error: 'framing' says nothing with mcp+http, where each client has a session of its own"
    ),
    (
      "address = 'mcp+http://a'\ncancel = 'abort'",
      "4:10: error: 'cancel' must not be 'abort' without 'hard': the connection carries other requests, too"
    ),
    (
      "address = 'mcp+http://a'\nmaxInFlight = 65",
      "4:15: error: 'maxInFlight' (65) must not be more than 'maxConnections' (64)"
    ),
    (
      "address = 'exec:a'\ndirectory = ''",
      "4:13: error: 'directory' must be a path of at most 4095 bytes, not ''"
    ),
    // Values that may be secret are not shown.
    (
      "address = 'exec:a'\nenvironment = ['A=1', 'sk-secret']",
      "4:23: error: 'environment' must be 'NAME=VALUE', or 'NAME' for the value that lastword has"
    ),
    (
      "address = 'exec:a'\nenvironment = ['=secret']",
      "4:16: error: 'environment' must be 'NAME=VALUE', or 'NAME' for the value that lastword has"
    ),
    ("address = 'exec:a'\nenvironment = ['A=1', 'A']", "4:23: error: 'environment' names 'A' twice"),
    ("address = 'exec:a'\nenvironment = ['A=1', 'A=2']", "4:23: error: 'environment' names 'A' twice"),
    ("address = 'exec:a'\nheaders = ['secret']", "4:12: error: 'headers' must be 'Name: value' in one line"),
    ("address = 'exec:a'\nheaders = ['A:  ']", "4:12: error: 'headers' must be 'Name: value' in one line"),
    (
      "address = 'exec:a'\nheaders = [\"A: secret\\nB: 1\"]",
      "4:12: error: 'headers' must be 'Name: value' in one line"
    ),
    (
      "address = 'exec:a'\nheaders = ['A b: secret']",
      "4:12: error: 'headers' must be a header's name of at most 256 bytes"
    ),
    (
      "address = 'exec:a'\nheaders = ['Content-LENGTH: 7']",
      "4:12: error: 'headers' must not be 'Content-LENGTH', which lastword says itself"
    ),
    (
      "address = 'exec:a'\ndeadlineHeader = 'a:'",
      "4:18: error: 'deadlineHeader' must be a header's name of at most 256 bytes"
    ),
  ])
  func `a contradiction in an upstream`(text: String, complaint: String) {
    #expect(complaints("[[upstream]]\nname = 'a'\n" + text) == ["lw.toml:\(complaint)"])
  }

  static let form = UpstreamAddress.form

  @Test func `of addresses, headers and variables there may be only so many`() {
    func list(_ count: Int, _ item: (Int) -> String) -> String {
      "[\((0..<count).map { "'\(item($0))'" }.joined(separator: ","))]"
    }
    let upstream = "[[upstream]]\nname = 'a'\n"
    func addresses(_ count: Int) -> [String] {
      complaints("\(upstream)addresses = \(list(count) { _ in "demo" })")
    }
    #expect(addresses(64).isEmpty)
    #expect(addresses(65) == ["lw.toml:3:462: error: 'addresses' must not have more than 64 items"])
    func environment(_ count: Int) -> [String] {
      complaints("\(upstream)address = 'exec:a'\nenvironment = \(list(count) { "A\($0)=" })")
    }
    #expect(environment(256).isEmpty && environment(257).count == 1)
  }

  @Test(arguments: [("hard = true", "abort"), ("", "notification")])
  func `what an upstream can, its routes can`(upstream: String, cancel: String) {
    let method = cancel == "notification" ? "cancelMethod = 'stop'" : ""
    let route = "[[route]]\nmethod = 'm'\nupstream = 'a'\ncancel = '\(cancel)'"
    let text = "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\n"
    #expect(complaints("\(text)\(upstream)\n\(method)\n\(route)").isEmpty)
    #expect(complaints("\(text)\n\n\(route)").count == 1)
  }

  @Test(arguments: [
    (
      "cancel = 'abort'",
      "3:10: error: 'cancel' must not be 'abort': \(upstream) neither an http: address nor 'hard'"
    ),
    (
      "cancel = 'notification'",
      "3:10: error: 'cancel' must not be 'notification': \(upstream) no 'cancelMethod'"
    ),
    (
      "cancel = 'mcp'\ncompensate = 'u'",
      "4:14: error: 'cancel' must not be 'mcp' with 'compensate': nobody hears whether there is something to undo"
    ),
  ])
  func `a contradiction in how a route cancels`(text: String, complaint: String) {
    #expect(complaints("[[route]]\nmethod = 'm'\n" + text) == ["lw.toml:\(complaint)"])
  }

  static let upstream = "the upstream 'main' has"

  @Test func `an undoing goes with a notification only if what is cancelled is answered`() {
    let upstream = "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\ncancelMethod = 'stop'\n"
    let route = "[[route]]\nmethod = 'm'\ncancel = 'notification'\ncompensate = 'u'"
    #expect(complaints(upstream + route).isEmpty)
    #expect(
      complaints(upstream + "cancelAnswered = false\n" + route) == [
        "lw.toml:9:14: error: 'cancel' must not be 'notification' with 'compensate': "
          + "nobody hears whether there is something to undo"
      ])
  }

  @Test func `an address that was refused is not complained of a second time`() {
    let text = """
      [[upstream]]
      name = "a"
      address = "exce:a"
      directory = "/"
      cancel = "abort"
      headers = ["A: b"]
      [[route]]
      method = "m"
      cancel = "abort"
      """
    #expect(complaints(text).count == 1)
  }

  #if HTTPUpstreams
  @Test(arguments: [
    ("framing = 'lines'", "4:11: error: 'framing' says nothing \(exchange)"),
    ("perConnection = true", "4:17: error: 'perConnection' says nothing \(exchange)"),
    ("hard = true", "4:8: error: 'hard' says nothing \(exchange)"),
    ("caFile = '/a'", "4:10: error: 'caFile' says nothing without an https: address"),
    ("graceMs = 1", "4:11: error: 'graceMs' says nothing without an exec: address"),
    (
      "maxInFlight = 65",
      "4:15: error: 'maxInFlight' (65) must not be more than 'maxConnections' (64)"
    ),
    (
      "maxInFlight = 2\nmaxConnections = 1",
      "5:18: error: 'maxInFlight' (2) must not be more than 'maxConnections' (1)"
    ),
  ])
  func `a contradiction in an upstream that is asked by HTTP`(text: String, complaint: String) {
    let upstream = "[[upstream]]\nname = 'a'\naddress = 'http://a/'\n"
    #expect(complaints(upstream + text) == ["lw.toml:\(complaint)"])
  }

  static let exchange = "with http, where each request is an exchange of its own"

  @Test func `everything that HTTP has can be said of it`() throws {
    let read = try configuration(
      """
      [[upstream]]
      name = "a"
      addresses = ["http://a/", "https://b/"]
      headers = ["Authorization:  Bearer 1:2 ", "A: ü"]
      deadlineHeader = "X-Timeout"
      caFile = "ca.pem"
      maxConnections = 7
      cancel = "lsp"
      """)
    let upstream = read.upstreams[0]
    #expect(upstream.headers.map(\.line) == ["Authorization: Bearer 1:2", "A: ü"])
    #expect(upstream.takesExchanges && read.core.upstreams[0].shape == .exchanges)
    #expect(read.core.upstreams[0].cancel == .lsp && read.core.upstreams[0].inFlightPerEndpoint == 7)
    let shown = SettingList.text(of: read, showsOrigins: false)
    #expect(shown.contains(#"headers = ["Authorization: …", "A: …"]"#) && !shown.contains("Bearer"))
  }
  #endif

  @Test func `the values of a child's environment are not shown`() throws {
    let text =
      "[[upstream]]\nname = 'a'\naddress = 'exec:a'\nenvironment = ['TOKEN=secret', 'B==', 'API_KEY']"
    let read = try configuration(text)
    let environment = read.upstreams[0].environment
    #expect(environment.compactMap { $0.assignment(in: [:]) } == ["TOKEN=secret", "B=="])
    #expect(environment.last?.assignment(in: ["API_KEY": "x", "B": "y"]) == "API_KEY=x")
    let shown = SettingList.text(of: read, showsOrigins: true)
    #expect(shown.contains(#"environment = ["TOKEN=…", "B=…", "API_KEY"]  # lw.toml:4"#))
  }

  @Test(arguments: [
    ("127.0.0.1:7", "tcp:127.0.0.1:7", true), ("127.0.0.1:7", "tcp:localhost:7", true),
    ("127.0.0.1:7", "http://127.0.0.1:7/rpc", true), ("127.0.0.1:80", "http://localhost/", true),
    ("127.0.0.1:7", "tcp:127.0.0.1:8", false), ("127.0.0.1:7", "tcp:127.0.0.2:7", false),
    ("127.0.0.1:0", "tcp:127.0.0.1:7", false), ("unix:/a", "unix:/a", true), ("unix:/a", "unix:/b", false),
  ])
  func `a gateway is not its own upstream`(listen: String, upstream: String, isItself: Bool) {
    let text = "[[listen]]\naddress = '\(listen)'\n[[upstream]]\nname = 'a'\naddress = '\(upstream)'"
    let wanted = "lw.toml:5:11: error: '\(upstream)' is this gateway itself, which listens there: lw.toml:2"
    #expect(complaints(text) == (isItself ? [wanted] : []))
  }

  @Test func `nor by any address of this machine where it listens at all of them`() {
    let text = "[[listen]]\naddress = '0.0.0.0:7'\naudience = 'network'\n[[upstream]]\nname = 'a'\n"
    #expect(complaints(text + "addresses = ['tcp:other:7', 'tcp:127.0.0.2:7']").count == 1)
    #expect(complaints(text + "addresses = ['tcp:other:7', 'tcp:127.0.0.2:8']").isEmpty)
  }
}
