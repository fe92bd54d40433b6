import Configuration
import Testing

/// Protected mode: who may listen for others than this machine, and how that is said.
@Suite struct ExposureTests {
  private static let beginning = "'address' of [[listen]] must be a loopback address, such as 127.0.0.1:5278"

  @Test(arguments: [
    "127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "LocalHost:1", "unix:/run/lw.sock",
  ])
  func `a loopback address or a Unix socket is for whoever is on this machine`(address: String) throws {
    let read = try configuration("[[listen]]\naddress = '\(address)'")
    #expect(read.openListeners.isEmpty && read.warnings.isEmpty)
    #expect(complaints("[[listen]]\naddress = '\(address)'\naudience = 'network'").isEmpty)
  }

  @Test(arguments: [
    "0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[::ffff:192.0.2.1]:1", "127.example:1", "128.0.0.1:1", "0:1",
    "127.0.0.1.example:1", "gateway:1", "[::2]:1", "[fe80::1%1]:1",
  ])
  func `any other takes the word that the network is meant, and is warned of`(address: String) throws {
    let settings = "[[listen]]\naddress = '\(address)'\n"
    let said = complaints(settings)
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("lw.toml:2:11: error: \(Self.beginning)") == true)
    #expect(said.first?.contains("not '\(address)': whoever reaches it is served") == true)
    #expect(said.first?.hasSuffix("say audience = \"network\" in its [[listen]]") == true)
    let read = try configuration(settings + "audience = 'network'")
    #expect(
      read.openListeners.map(\.description) == [
        "lw.toml:2:11: warning: whoever reaches '\(address)' is served, for clients do not log in: "
          + "have them (auth = \"required\"), or keep strangers away by a firewall or a proxy"
      ])
  }

  @Test(arguments: [
    "auth = 'required'\n[[principal]]\nname = 'a'\ntokens = ['sha256:\(String(repeating: "0", count: 64))']",
    "tls.certificate = 'c'\ntls.key = 'k'\ntls.clientCA = 'a'\ntls.requireClientCertificate = true",
  ])
  func `who is asked may come from anywhere, and nobody is warned`(how: String) throws {
    let read = try configuration("[[listen]]\naddress = '0.0.0.0:1'\n" + how)
    #expect(read.openListeners.isEmpty && read.warnings.isEmpty)
  }

  @Test func `each listener says it for itself`() {
    let text = """
      [[listen]]
      address = '0.0.0.0:1'
      audience = 'network'
      [[listen]]
      address = '0.0.0.0:2'
      [[listen]]
      address = '0.0.0.0:3'
      audience = 'loopback'
      """
    #expect(complaints(text).map { $0.prefix(15) } == ["lw.toml:5:11: e", "lw.toml:7:11: e"])
  }

  @Test func `a word that is wrong is the only mistake`() {
    #expect(
      complaints("[[listen]]\naddress = '0.0.0.0:1'\naudience = 'all'") == [
        "lw.toml:3:12: error: 'audience' must be 'loopback' or 'network', not 'all'"
      ])
    let variables = ["LASTWORD_LISTEN": "0.0.0.0:1,0.0.0.0:2", "LASTWORD_LISTEN_AUDIENCE": "all"]
    #expect(
      complaints(ConfigurationSources(environment: variables)) == [
        "environment LASTWORD_LISTEN_AUDIENCE: error: must be 'loopback' or 'network', not 'all'"
      ])
  }

  // MARK: The environment and flags

  private let listen = Override.flag("--listen", .listen, ["0.0.0.0:1", "127.0.0.1:2"])
  private let audience = Override.flag("--audience", .audience, ["network"])

  @Test func `a flag's address takes a flag, wherever that stands`() throws {
    let said = complaints(ConfigurationSources(flags: [listen]))
    #expect(said.count == 1 && said[0].hasPrefix("flag --listen: error: \(Self.beginning)"))
    #expect(said[0].hasSuffix("say --audience network"))
    for flags in [[listen, audience], [audience, listen]] {
      let read = try FileConfiguration(ConfigurationSources(flags: flags))
      #expect(read.listeners.map(\.audience) == [.network, .network])
      #expect("\(read.listeners[0].origin(of: "audience"))" == "flag --audience")
      #expect(read.openListeners.count == 1)
    }
  }

  @Test(arguments: [["LASTWORD_LISTEN": "0.0.0.0:1"], ["HOST": "0.0.0.0", "PORT": "1"]])
  func `the environment's address takes a variable`(environment: [String: String]) throws {
    let said = complaints(ConfigurationSources(environment: environment))
    #expect(said.count == 1 && said[0].contains(": error: \(Self.beginning)"))
    #expect(said[0].hasSuffix("say LASTWORD_LISTEN_AUDIENCE=network"))
    let meant = environment.merging(["LASTWORD_LISTEN_AUDIENCE": "network"]) { $1 }
    #expect(try FileConfiguration(ConfigurationSources(environment: meant)).openListeners.count == 1)
  }

  @Test func `the variable holds for the addresses of flags and of the file, too, and a flag wins over it`()
    throws
  {
    let environment = ["LASTWORD_LISTEN_AUDIENCE": "network"]
    #expect(complaints(ConfigurationSources(environment: environment, flags: [listen])).isEmpty)
    let file: (name: String, bytes: [UInt8]) = ("lw.toml", Array("[[listen]]\naddress = '[::]:1'".utf8))
    #expect(complaints(ConfigurationSources(file: file, environment: environment)).isEmpty)
    let closed = Override.flag("--audience", .audience, ["loopback"])
    #expect(
      complaints(ConfigurationSources(file: file, environment: environment, flags: [closed])).count == 1)
  }

  // MARK: What else is open

  @Test(arguments: [
    ("0666", true), ("0602", true), ("0777", true), ("0660", false), ("0664", false), ("600", false),
  ])
  func `a socket that every user may write to is warned of`(mode: String, isOpen: Bool) throws {
    let warnings = try configuration("[[listen]]\naddress = 'unix:/run/lw'\nmode = '\(mode)'").warnings
    let line =
      "lw.toml:3:8: warning: every user of this machine may connect to 'unix:/run/lw', for clients do not log in"
    #expect(warnings.map(\.description) == (isOpen ? [line] : []))
  }

  @Test func `admin pages that face a network are warned of`() throws {
    let read = try configuration("[admin]\naddress = '0.0.0.0:1'\naudience = 'network'")
    #expect(
      read.warnings.map(\.description) == [
        "lw.toml:2:11: warning: whoever reaches the admin pages on '0.0.0.0:1' sees what clients ask for: "
          + "give [admin] a 'token', or keep strangers away by a firewall or a proxy"
      ])
    #expect(try configuration("[admin]\naddress = '127.0.0.1:1'\naudience = 'network'").warnings.isEmpty)
  }
}
