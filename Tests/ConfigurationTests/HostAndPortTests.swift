import Testing

@testable import Configuration

/// Where a gateway listens that nobody told but its platform.
@Suite struct HostAndPortTests {
  private func addresses(_ sources: ConfigurationSources) throws -> [String] {
    try FileConfiguration(sources).listeners.map { "\($0.address) \($0.origin(of: "address"))" }
  }

  private func addresses(_ environment: [String: String]) throws -> [String] {
    try addresses(ConfigurationSources(environment: environment))
  }

  @Test func `whatever else names an address wins over them, and they over the default alone`() throws {
    var sources = ConfigurationSources()
    #expect(try addresses(sources) == ["127.0.0.1:5278 default"])
    sources.environment = ["HOST": "::1", "PORT": "1"]
    #expect(try addresses(sources) == ["[::1]:1 environment HOST and PORT"])
    sources.file = ("lw.toml", Array("[[listen]]\naddress = '127.0.0.1:2'".utf8))
    #expect(try addresses(sources) == ["127.0.0.1:2 lw.toml:2"])
    sources.environment["LASTWORD_LISTEN"] = "127.0.0.1:3"
    #expect(try addresses(sources) == ["127.0.0.1:3 environment LASTWORD_LISTEN"])
    sources.flags = [.flag("--listen", .listen, ["127.0.0.1:4", "unix:/a"])]
    #expect(try addresses(sources) == ["127.0.0.1:4 flag --listen", "unix:/a flag --listen"])
  }

  @Test func `a file that names no address leaves it to them`() throws {
    let file: (name: String, bytes: [UInt8]) = ("lw.toml", Array("drainMs = 1".utf8))
    let sources = ConfigurationSources(file: file, environment: ["HOST": "::1", "PORT": "80"])
    #expect(try addresses(sources) == ["[::1]:80 environment HOST and PORT"])
    let shown = SettingList.text(of: try FileConfiguration(sources), showsOrigins: true)
    #expect(shown.contains("\naddress = \"[::1]:80\"  # environment HOST and PORT\n"))
  }

  @Test(arguments: ["HOST", "PORT"]) func `one without the other says nothing`(name: String) throws {
    for value in ["1", "", "a machine"] {
      #expect(try addresses([name: value]) == ["127.0.0.1:5278 default"])
    }
  }

  @Test(arguments: [
    ("127.0.0.1", "0", "127.0.0.1:0"), ("127.0.0.1", "65535", "127.0.0.1:65535"), ("::", "5278", "[::]:5278"),
    ("[::1]", "5278", "[::1]:5278"), ("gateway.example", "080", "gateway.example:80"),
    ("unix", "1", "tcp:unix:1"), ("tcp", "1", "tcp:tcp:1"),
  ])
  func `hosts of every kind and ports to the edge are understood`(host: String, port: String, address: String)
    throws
  {
    let environment = ["HOST": host, "PORT": port, "LASTWORD_LISTEN_AUDIENCE": "network"]
    #expect(try addresses(environment) == ["\(address) environment HOST and PORT"])
  }

  @Test(arguments: [
    ("PORT", "65536"), ("PORT", "-1"), ("PORT", "+1"), ("PORT", ""), ("PORT", "80 "), ("PORT", "http"),
    ("PORT", "1:2"), ("PORT", "99999999999999999999"), ("HOST", ""), ("HOST", "a b"), ("HOST", "a:80"),
    ("HOST", "unix:/run/lw"), ("HOST", "http://a"), ("HOST", "[::1]:80"), ("HOST", "[]"), ("HOST", "1::2::3"),
  ])
  func `a mistake in one of them is said of it`(name: String, value: String) {
    let form = name == "HOST" ? "a host's name or IP address" : "0 to 65_535"
    let environment = ["HOST": "127.0.0.1", "PORT": "5278"].merging([name: value]) { $1 }
    #expect(
      complaints(ConfigurationSources(environment: environment)) == [
        "environment \(name): error: must be \(form), not '\(value)'"
      ])
  }

  @Test func `mistakes in both are told`() {
    let found = complaints(ConfigurationSources(environment: ["HOST": "", "PORT": ""]))
    #expect(found.count == 2 && found[0].contains("PORT") && found[1].contains("HOST"))
  }

  @Test func `a mistake does not matter where they do not count, nor does it hide another`() throws {
    var sources = ConfigurationSources(environment: ["HOST": "", "PORT": "x", "LASTWORD_LISTEN": "a"])
    #expect(complaints(sources).map { $0.prefix(28) } == ["environment LASTWORD_LISTEN:"])
    sources.environment["LASTWORD_LISTEN"] = nil
    sources.flags = [.flag("--listen", .listen, ["unix:/a"])]
    #expect(try addresses(sources) == ["unix:/a flag --listen"])
    sources.flags = []
    sources.file = ("lw.toml", Array("[[listen]]\nscope = 'shared'".utf8))
    #expect(complaints(sources) == ["lw.toml:1:3: error: [[listen]] needs 'address'"])
  }

  @Test func `admin pages where they say are refused`() {
    let environment = ["HOST": "127.0.0.1", "PORT": "5279", "LASTWORD_ADMIN_ADDRESS": "127.0.0.1:5279"]
    let found = complaints(ConfigurationSources(environment: environment))
    #expect(found.count == 1 && found[0].hasSuffix("where clients connect: environment HOST and PORT"))
  }

  @Test func `another address there takes a restart`() throws {
    let started = try FileConfiguration(ConfigurationSources(environment: ["HOST": "::1", "PORT": "1"]))
    let file: (name: String, bytes: [UInt8]) = ("lw.toml", Array("[[listen]]\naddress = '[::1]:2'".utf8))
    let changed = try FileConfiguration(ConfigurationSources(file: file))
    #expect(
      changed.lastingChanges(since: started).map(\.description)
        == ["lw.toml:2:11: error: 'address' changes with a restart only"])
  }
}
