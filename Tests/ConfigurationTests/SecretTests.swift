import Configuration
import Testing

/// What is secret in a configuration, and that neither what is shown nor what is wrong tells it.
@Suite struct SecretTests {
  private static let secret = "sk-4f9dEADbeef"
  private static let upstream = "[[upstream]]\nname = 'a'\n"

  /// Each has the secret where one may be.
  static let whole = [
    "address = 'http://user:\(secret)@a/'", "address = 'http://\(secret)@a/'",
    "address = 'http://a/?key=\(secret)'",
    "address = 'http://a/b#\(secret)'", "address = 'http://a'\nheaders = ['Authorization: Bearer \(secret)']",
    "address = 'exec:server --token \(secret)'", "address = 'exec:server --api-key=\(secret)'",
    "address = 'exec:cat postgres://user:\(secret)@a/b'", "address = 'exec:a --cookie \(secret)'",
    "address = 'exec:a --header \"Authorization: Bearer \(secret)\"'",
    "address = 'exec:env PASSWORD=\(secret) server'", "address = 'exec:a'\nenvironment = ['A=\(secret)']",
  ]

  #if HTTPUpstreams
  @Test(arguments: whole) func `a secret is not shown, and the memory that holds it is hidden`(text: String)
    throws
  {
    let read = try configuration(Self.upstream + text)
    for showsOrigins in [false, true] {
      #expect(!SettingList.text(of: read, showsOrigins: showsOrigins).contains(Self.secret))
    }
    for endpoint in read.upstreams[0].endpoints { #expect(!"\(endpoint)".contains(Self.secret)) }
    #expect(!read.warnings.contains { "\($0)".contains(Self.secret) })
    #expect(read.hidesMemory)
    #expect(try !configuration("coreDumps = 'allowed'\n" + Self.upstream + text).hidesMemory)
  }
  #endif

  /// Each is wrong, and has the secret where it can be taken for something else.
  static let wrong = [
    "address = 'http//user:\(secret)@a/'", "address = 'htp://a/?\(secret)'",
    "address = 'HTTP://a:b@c/\(secret)'",
    "address = 'user:\(secret)@a:80'", "address = '\(secret)@a:80'", "address = 'http://a:\(secret)@b c/'",
    "address = 'exec server --token \(secret)'", "address = 'exce:server --token \(secret)'",
    "address = 'exec:server --token \"\(secret)'", "address = 'exec:server --token \(secret)\\'",
    "address = 'exec:\"\" --token \(secret)'", "address = 'http://a:0/?\(secret)'",
    "address = 'http://a'\nheaders = ['Authorization \(secret)']",
    "address = 'http://a'\nheaders = ['\(secret)']",
    "address = 'exec:a'\nenvironment = ['=\(secret)']",
    "address = 'exec:a'\nenvironment = ['A=\(secret)', 'A=2']",
    "address = 'exec:a'\nheaders = ['A: \(secret)']",
    "address = 'http://u:\(secret)@a'\nenvironment = ['A=\(secret)']",
    "address = 'http://u:\(secret)@a'\nframing = 'lines'", "addresses = ['http://u:\(secret)@a', 'exec:b']",
    "addresses = ['exec:b', 'http://u:\(secret)@a']",
  ]

  @Test(arguments: wrong) func `what is wrong is said without it`(text: String) {
    let said = complaints(Self.upstream + text)
    #expect(!said.isEmpty && !said.contains { $0.contains(Self.secret) }, "\(said)")
  }

  @Test(arguments: [
    ("", false), ("address = 'tcp:a:1'", false), ("address = 'exec:server --level 3'", false),
    ("address = 'exec:a'\nenvironment = ['API_KEY']", true),
    ("address = 'exec:a'\nenvironment = ['A=1']", true),
  ])
  func `memory is hidden where there is something to hide`(text: String, isHidden: Bool) throws {
    let upstream = text.isEmpty ? "" : Self.upstream + text
    #expect(try configuration(upstream).hidesMemory == isHidden)
    #expect(try configuration("coreDumps = 'never'\n" + upstream).hidesMemory)
    #expect(try !configuration("coreDumps = 'allowed'\n" + upstream).hidesMemory)
  }

  @Test(
    .enabled(if: FileConfiguration.hasTLS),
    arguments: [
      ("", false), ("tls.ca = 'ca.pem'\ntls.serverName = 'b'", false),
      ("tls = { certificate = 'a.pem', key = 'a.key' }", true),
    ])
  func `memory is hidden where there is a key towards an upstream`(text: String, isHidden: Bool) throws {
    let upstream = Self.upstream + "address = 'tls:search.example:1'\n" + text
    #expect(try configuration(upstream).hidesMemory == isHidden)
    #expect(try !configuration("coreDumps = 'allowed'\n" + upstream).hidesMemory)
  }

  @Test func `what is hidden once takes a restart to be seen`() throws {
    let changed = try configuration("coreDumps = 'allowed'")
    #expect(
      changed.lastingChanges(since: try configuration("")).map(\.description)
        == ["lw.toml:1:13: error: 'coreDumps' changes with a restart only"])
    let before = try configuration("coreDumps = 'never'")
    #expect(
      try configuration("").lastingChanges(since: before).map(\.description) == [
        "lw.toml:1:13: error: 'coreDumps' changes with a restart only: it was \"never\", and is not said any more"
      ])
  }
}
