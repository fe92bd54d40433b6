import GatewayCore
import Testing

@testable import Configuration

/// What can be said of a listener's protocols and of the pages that come there, and what of it makes no sense.
@Suite struct BrowserSettingsTests {
  private static let listener = "[[listen]]\naddress = '127.0.0.1:1'\n"
  private static let asks = "auth = 'required'\n"
  private static let principal = "[[principal]]\nname = 'a'\nusers = ['1']\n"

  private func clients(_ text: String) throws -> ClientProtocols {
    let clients = try configuration(Self.listener + text).core.server.clients
    #expect(clients.count == 1)
    return try #require(clients.first)
  }

  // MARK: Protocols

  @Test func `sessions of MCP come by HTTP`() {
    let listen = "[[listen]]\naddress = '127.0.0.1:1'\nmcpPath = '/mcp'\nprotocols = "
    #expect(
      complaints(listen + "['lines', 'websocket']")
        == ["lw.toml:3:11: error: 'mcpPath' says nothing without 'http' in 'protocols'"])
    #expect(complaints(listen + "['http']").isEmpty)
  }

  @Test func `all are spoken, unless some are left out`() throws {
    #expect(try clients("") == ClientProtocols())
    #expect(try clients("").protocols == [.lines, .contentLength, .http, .webSocket])
    #expect(try clients("protocols = ['websocket', 'lines']").protocols == [.lines, .webSocket])
    #expect(try clients("protocols = ['content-length']").protocols == .contentLength)
    #expect(try clients("protocols = ['http']").protocols == .http)
  }

  @Test(arguments: [
    (
      "['htpp']",
      "lw.toml:3:14: error: 'protocols' must be 'lines', 'content-length', 'http' or 'websocket', not 'htpp'; "
        + "did you mean 'http'?"
    ),
    ("[]", "lw.toml:3:13: error: 'protocols' must not be empty"),
    ("['http', 'http']", "lw.toml:3:22: error: 'protocols' names 'http' twice"),
    ("'http'", "lw.toml:3:13: error: 'protocols' must be an array of strings, not a string"),
  ])
  func `what is no protocol is told with its place`(list: String, complaint: String) {
    #expect(complaints(Self.listener + "protocols = \(list)") == [complaint])
  }

  // MARK: Origins

  @Test func `origins are as browsers write them, in their order`() throws {
    let text =
      "origins = ['HTTPS://App.example.com:443', 'http://localhost:3000', 'http://[::1]:80', 'app://local']"
    #expect(
      try clients(text).origins == [
        "https://app.example.com", "http://localhost:3000", "http://[::1]", "app://local",
      ])
    #expect(try clients("").origins.isEmpty)
  }

  @Test(arguments: [
    "", "app.example.com", "https://app.example.com/", "https://a/b", "https://", "https://*.example.com",
    "http://a:0",
    "http://u@a", "https://é.example", "//a",
  ])
  func `what is no origin is refused`(origin: String) {
    #expect(
      complaints(Self.listener + "origins = ['https://a', '\(origin)']") == [
        "lw.toml:3:25: error: 'origins' must be an origin without a path, such as https://app.example.com, or *, "
          + "not '\(origin)'"
      ])
  }

  @Test(arguments: ["null", "NULL"])
  func `null is nobody's origin`(origin: String) {
    #expect(
      complaints(Self.listener + "origins = ['\(origin)']") == [
        "lw.toml:3:12: error: 'origins' must not be '\(origin)': pages of files and of closed frames say so, "
          + "whosever they are"
      ])
  }

  @Test(arguments: ["ws://a", "WSS://a", "file://a"])
  func `no page has such an origin`(origin: String) {
    #expect(
      complaints(Self.listener + "origins = ['\(origin)']") == [
        "lw.toml:3:12: error: 'origins' must be the origin of a page, which begins with http:// or https://, "
          + "not '\(origin)'"
      ])
  }

  @Test func `a scheme that is mistyped is told`() {
    let said = complaints(Self.listener + "origins = ['htps://a']")
    #expect(said.count == 1 && said[0].hasSuffix("not 'htps://a'; did you mean 'https://'?"))
  }

  @Test func `the same origin in other words is there twice`() {
    #expect(
      complaints(Self.listener + "origins = ['https://a', 'HTTPS://A:443']") == [
        "lw.toml:3:25: error: 'origins' names 'https://a' twice"
      ])
    let most = (1...PageOrigin.most).map { "'http://h\($0)'" }.joined(separator: ",")
    #expect(complaints(Self.listener + "origins = [\(most)]").isEmpty)
    #expect(complaints(Self.listener + "origins = [\(most),'http://h']").count == 1)
  }

  // MARK: Every origin

  @Test func `every origin may come where a token is shown`() throws {
    #expect(try clients("origins = ['*']\n" + Self.asks + Self.principal).origins == ["*"])
  }

  @Test(arguments: ["['*', 'http://a']", "['http://a', '*']"])
  func `every origin stands alone`(list: String) {
    let said = complaints(Self.listener + Self.asks + "origins = \(list)\n" + Self.principal)
    #expect(said.count == 1)
    #expect(said.first?.contains("'origins' must not name others beside '*', which is every origin") == true)
  }

  @Test func `every origin is a mistake where nobody is asked`() {
    #expect(
      complaints(Self.listener + "origins = ['*']") == [
        "lw.toml:3:11: error: 'origins' must not be '*' where clients do not log in (auth = \"none\"): every page that "
          + "somebody visits would be let in; name those that may"
      ])
  }

  @Test(.enabled(if: FileConfiguration.hasTLS), arguments: ["", asks])
  func `and where browsers show a certificate by themselves`(auth: String) {
    let said = complaints(
      Self.listener + "origins = ['*']\n" + auth
        + "tls = { certificate = 'a', key = 'b', clientCA = 'c' }\n" + Self.principal)
    #expect(said.count == 1)
    #expect(
      said.first?.hasPrefix("lw.toml:3:11: error: 'origins' must not be '*' where clients are asked for")
        == true)
  }

  @Test func `and where a proxy's user says who it is`() {
    let text = "[[listen]]\naddress = 'unix:/a'\nauth = 'required'\norigins = ['*']\n"
    let said = complaints(text + Self.principal)
    #expect(said.count == 1 && said[0].contains("where a [[principal]] has 'users' of Unix sockets"))
  }

  @Test func `a value that was refused is the only mistake`() {
    #expect(complaints(Self.listener + "origins = ['*']\nauth = 'non'").count == 1)
    #expect(complaints(Self.listener + "origins = ['null']\nprotocols = ['x']").count == 2)
  }

  // MARK: Hosts, and all of them

  @Test func `hosts are names, in small letters`() throws {
    #expect(try clients("hosts = ['Gateway.example', 'b_1']").hosts == ["gateway.example", "b_1"])
    for name in ["", "a b", "a:1", "http://a", "*"] {
      #expect(complaints(Self.listener + "hosts = ['\(name)']").count == 1)
    }
    #expect(complaints(Self.listener + "hosts = ['a', 'A']").count == 1)
  }

  @Test func `pages need HTTP or WebSocket`() {
    let text = "protocols = ['lines', 'content-length']\norigins = ['http://a']\nhosts = ['a']"
    #expect(
      complaints(Self.listener + text) == [
        "lw.toml:4:11: error: 'origins' says nothing without 'http' or 'websocket' in 'protocols'",
        "lw.toml:5:9: error: 'hosts' says nothing without 'http' or 'websocket' in 'protocols'",
      ])
    for one in ["http", "websocket"] {
      #expect(
        complaints(Self.listener + "protocols = ['\(one)']\norigins = ['http://a']\nhosts = ['a']").isEmpty)
    }
  }

  @Test func `each listener has its own, and all of it changes with a reload`() throws {
    let text = "[[listen]]\naddress = '127.0.0.1:1'\n[[listen]]\naddress = '127.0.0.1:2'\n"
    let more = "protocols = ['http']\norigins = ['http://a']\nhosts = ['a']"
    let read = try configuration(text + more)
    #expect(read.core.server.clients.map(\.hosts) == [[], ["a"]])
    #expect(read.core.server.clients.map(\.protocols) == [.all, .http])
    #expect(read.lastingChanges(since: try configuration(text)).isEmpty)
    #expect(read.warnings.isEmpty && read.openListeners.isEmpty)
  }

  @Test func `what is shown is what is said`() throws {
    let more = "protocols = ['http']\norigins = ['HTTP://A']\nhosts = ['A']"
    let shown = SettingList.text(of: try configuration(Self.listener + more), showsOrigins: false)
    #expect(shown.contains("\nprotocols = [\"http\"]\norigins = [\"http://a\"]\nhosts = [\"a\"]\n"))
    let standard = SettingList.text(of: FileConfiguration(), showsOrigins: false)
    #expect(standard.contains("\nprotocols = [\"lines\", \"content-length\", \"http\", \"websocket\"]\n"))
  }
}
