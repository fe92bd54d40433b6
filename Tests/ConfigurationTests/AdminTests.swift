import Addresses
import Testing

@testable import Configuration

/// Where the admin pages may be, and how that is said.
@Suite struct AdminTests {
  @Test func `without an address there are none`() throws {
    #expect(try configuration("[admin]\nstreams = 2").admin.values.address == nil)
  }

  @Test(arguments: [
    "127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "[0:0:0:0:0:0:0:1]:1", "[::ffff:127.0.0.1]:1", "LocalHost:1",
    "unix:/run/lastword.sock",
  ])
  func `a loopback address or a Unix socket is fine`(address: String) throws {
    let read = try configuration("[admin]\naddress = '\(address)'")
    #expect(read.admin.values.address == SocketAddress(parsing: address))
  }

  @Test(arguments: [
    "0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[::ffff:192.0.2.1]:1", "127.example:1", "128.0.0.1:1",
    "127.0.0.1.example:1", "gateway:1", "[::2]:1",
  ])
  func `any other takes the word that the network is meant`(address: String) throws {
    let settings = "[admin]\naddress = '\(address)'\n"
    let said = complaints(settings)
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("lw.toml:2:11: error: 'address' of [admin] must be a loopback") == true)
    #expect(said.first?.hasSuffix("say audience = \"network\" in [admin]") == true)
    #expect(complaints(settings + "audience = 'network'").isEmpty)
  }

  @Test func `a flag and the environment are held to the same`() {
    let flag = ConfigurationSources(
      file: ("lw.toml", Array("[admin]\naddress = '127.0.0.1:1'".utf8)), environment: [:],
      flags: [.flag("--admin", .admin("address"), ["0.0.0.0:1"])])
    #expect(complaints(flag).first?.hasPrefix("flag --admin: error: ") == true)
    let variable = ConfigurationSources(environment: ["LASTWORD_ADMIN_ADDRESS": "0.0.0.0:1"])
    #expect(complaints(variable).first?.hasPrefix("environment LASTWORD_ADMIN_ADDRESS: error: ") == true)
    var meant = variable
    meant.environment["LASTWORD_ADMIN_AUDIENCE"] = "network"
    #expect(complaints(meant).isEmpty)
  }

  @Test func `clients do not connect where the admin pages are`() {
    #expect(
      complaints("[admin]\naddress = '127.0.0.1:7'\n[[listen]]\naddress = '127.0.0.1:7'") == [
        "lw.toml:2:11: error: 'address' of [admin] is '127.0.0.1:7', where clients connect: lw.toml:4"
      ])
    #expect(complaints("[admin]\naddress = '127.0.0.1:0'\n[[listen]]\naddress = '127.0.0.1:0'").isEmpty)
  }

  @Test func `names are taken as a list, and in any case`() throws {
    #expect(
      try configuration("[admin]\nhosts = ['A.example', 'b_1']").admin.hosts.map(\.description) == [
        "a.example", "b_1",
      ])
    let read = try FileConfiguration(
      ConfigurationSources(environment: ["LASTWORD_ADMIN_HOSTS": "a.example,b"]))
    #expect(read.admin.hosts.map(\.description) == ["a.example", "b"])
    let most = (1...HostName.most).map { "'h\($0)'" }.joined(separator: ",")
    #expect(complaints("[admin]\nhosts = [\(most)]").isEmpty)
    #expect(complaints("[admin]\nhosts = [\(most),'one']").count == 1)
    let longest = String(repeating: "x", count: HostName.limitBytes)
    #expect(complaints("[admin]\nhosts = ['\(longest)']").isEmpty)
    #expect(complaints("[admin]\nhosts = ['\(longest)x']").count == 1)
  }

  @Test(arguments: ["", "a b", "a:1", "http://a", "é", "*"])
  func `what is no name is refused`(name: String) {
    #expect(complaints("[admin]\nhosts = ['ok', '\(name)']").count == 1)
  }
}
