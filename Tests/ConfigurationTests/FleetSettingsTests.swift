import GatewayCore
import Testing

@testable import Configuration

/// `[fleet]`: what a member needs, and what is wrong with what it says.
@Suite struct FleetSettingsTests {
  private static let whole = """
    [fleet]
    name = "search"
    engine = ["etcd:http://a:2379", "etcd:https://b:2379/"]
    listen = "10.0.0.1:5280"
    secretFile = "/s"
    """

  private func complaints(_ text: String) -> [String] {
    do throws(ConfigurationError) {
      _ = try FileConfiguration(ConfigurationSources(file: ("f", Array(text.utf8))))
      return []
    } catch {
      return error.complaints.map(\.message)
    }
  }

  @Test func `a member is told of its fleet, and a gateway without a name is by itself`() throws {
    let settings = try FileConfiguration(
      ConfigurationSources(file: ("f", Array((Self.whole + "\nhandoverMs = 1\ntakeoverMs = 2").utf8))))
    #expect(settings.fleet.values.name?.description == "search")
    #expect(settings.fleet.values.engine.map(\.url) == ["http://a:2379", "https://b:2379"])
    #expect(settings.core.fleet.handoverMilliseconds == 1)
    #expect(settings.core.fleet.takeoverMilliseconds == 2)
    #expect(settings.hidesMemory)
    let alone = try FileConfiguration(ConfigurationSources())
    #expect(alone.fleet.values.name == nil)
    #expect(alone.core.fleet.takeoverMilliseconds == nil)
  }

  @Test(arguments: ["engine", "listen"])
  func `what a member cannot be without is asked for`(name: String) {
    let lines = Self.whole.split(separator: "\n").filter { !$0.hasPrefix(name) }
    #expect(complaints(lines.joined(separator: "\n")) == ["[fleet] needs '\(name)'"])
  }

  @Test func `no message is longer than what members pass on`() {
    func bounds(_ messageBytes: Int) -> String {
      "[bounds]\nmessageBytes = \(messageBytes)\npayloadBytes = 1_073_741_824\nmemoryBytes = 0\n"
        + "clientOutputHardBytes = 33_554_432\n"
    }
    let most = 64 * 1024 * 1024
    #expect(complaints(bounds(most) + Self.whole) == [])
    #expect(complaints(bounds(most + 1)) == [])
    #expect(
      complaints(bounds(most + 1) + Self.whole) == [
        "'messageBytes' (67108865) must not be more than 67108864 with [fleet]: members pass on nothing longer"
      ])
  }

  @Test func `no client may leave more unread than members pass on`() {
    func bounds(_ unreadBytes: Int) -> String { "[bounds]\nclientOutputHardBytes = \(unreadBytes)\n" }
    let most = 64 * 1024 * 1024
    #expect(complaints(bounds(most) + Self.whole) == [])
    #expect(complaints(bounds(most + 1)) == [])
    #expect(
      complaints(bounds(most + 1) + Self.whole) == [
        "'clientOutputHardBytes' (67108865) must not be more than 67108864 with [fleet]: "
          + "members pass on nothing longer"
      ])
  }

  @Test func `what a client leaves unread and one message more are passed on together`() {
    func bounds(_ messageBytes: Int) -> String {
      "[bounds]\nmessageBytes = \(messageBytes)\npayloadBytes = 1_073_741_824\nmemoryBytes = 0\n"
    }
    let most = GatewayConfiguration.Fleet.mostEventBytes - 64 * 1024 * 1024
    #expect(complaints(bounds(most) + Self.whole) == [])
    #expect(complaints(bounds(most + 1)) == [])
    #expect(
      complaints(bounds(most + 1) + Self.whole) == [
        "'messageBytes' (65994753) and 'clientOutputHardBytes' (67108864) must not be more than 133103616 together "
          + "with [fleet]: members pass on nothing longer"
      ])
  }

  private static let papers = """

    tls.certificate = "/c"
    tls.key = "/k"
    tls.ca = "/a"
    """

  @Test func `members know each other by a secret, by certificates, or by both`() throws {
    let lines = Self.whole.split(separator: "\n").filter { !$0.hasPrefix("secretFile") }
    let bare = lines.joined(separator: "\n")
    #expect(complaints(bare) == ["[fleet] needs 'secretFile' or 'tls.certificate'"])
    for text in [bare + Self.papers, Self.whole + Self.papers] {
      let settings = try FileConfiguration(ConfigurationSources(file: ("f", Array(text.utf8))))
      #expect(settings.fleet.values.hasTLS)
    }
  }

  @Test(arguments: ["tls.certificate", "tls.key", "tls.ca"])
  func `a certificate needs its key, and who vouches for the others'`(name: String) {
    let lines = Self.papers.split(separator: "\n").filter { !$0.hasPrefix(name) }
    let first = name == "tls.certificate" ? "tls.key" : "tls.certificate"
    let said = "'\(first)' says nothing without '\(name)'"
    #expect(complaints(Self.whole + "\n" + lines.joined(separator: "\n")) == [said])
  }

  @Test func `what etcd is shown has two parts, and says nothing without TLS`() throws {
    let secure = Self.whole + "\nengineCaFile = '/a'"
    let settings = try FileConfiguration(
      ConfigurationSources(
        file: ("f", Array((secure + "\nengineCertificate = '/c'\nengineKey = '/k'").utf8))))
    #expect(settings.fleet.values.engineCA?.description == "/a")
    #expect(settings.fleet.values.engineCertificate?.description == "/c")
    #expect(settings.fleet.values.engineKey?.description == "/k")
    let bare = try FileConfiguration(ConfigurationSources(file: ("f", Array(Self.whole.utf8))))
    #expect(
      settings.lastingChanges(since: bare).map(\.message) == [
        "'engineCaFile' changes with a restart only", "'engineCertificate' changes with a restart only",
        "'engineKey' changes with a restart only",
      ])
    for (name, other) in [("engineCertificate", "engineKey"), ("engineKey", "engineCertificate")] {
      #expect(complaints(secure + "\n\(name) = '/c'") == ["'\(name)' says nothing without '\(other)'"])
    }
    for name in ["engineCaFile", "engineCertificate"] {
      let text = Self.whole.replacing("https:", with: "http:") + "\n\(name) = '/a'"
      #expect(complaints(text) == ["'\(name)' says nothing without an etcd at https:"])
    }
  }

  @Test func `which certificates members have changes at once, and not whether they have any`() throws {
    func settings(_ text: String) throws -> FileConfiguration {
      try FileConfiguration(ConfigurationSources(file: ("f", Array(text.utf8))))
    }
    let (plain, secure) = (try settings(Self.whole), try settings(Self.whole + Self.papers))
    let other = try settings(Self.whole + Self.papers.replacing("/c", with: "/d"))
    #expect(other.lastingChanges(since: secure).isEmpty)
    for (one, another) in [(plain, secure), (secure, plain)] {
      let changes = one.lastingChanges(since: another).map(\.message)
      #expect(changes == ["whether members have TLS changes with a restart only"])
    }
  }

  @Test func `what members say over a network is to be encrypted, or the start warns of it`() throws {
    func warnings(_ text: String) throws -> [String] {
      try FileConfiguration(ConfigurationSources(file: ("f", Array(text.utf8)))).warnings.map(\.message)
    }
    let said = try warnings(Self.whole)
    #expect(said.count == 1 && said[0].hasPrefix("what members say to each other over '10.0.0.1:5280'"))
    #expect(try warnings(Self.whole + Self.papers).isEmpty)
    #expect(try warnings(Self.whole.replacing("10.0.0.1", with: "127.0.0.1")).isEmpty)
  }

  @Test(arguments: ["0.0.0.0:5280", "[::]:5280"])
  func `who listens everywhere says where others find it`(address: String) {
    let text = Self.whole.replacing("10.0.0.1:5280", with: address)
    let alone = complaints(text)
    #expect(alone.count == 1 && alone[0].hasPrefix("'listen' of [fleet] is '\(address)'"))
    #expect(complaints(text + "\nadvertise = \"10.0.0.1:5280\"").isEmpty)
    let said = complaints(Self.whole + "\nadvertise = \"\(address)\"")
    #expect(said.count == 1 && said[0].hasPrefix("'advertise' of [fleet] is '\(address)'"))
  }

  @Test func `members do not connect where clients do, or where the pages are`() {
    func text(_ block: String) -> String {
      Self.whole.replacing("10.0.0.1:5280", with: "127.0.0.1:7") + block
    }
    #expect(
      complaints(text("\n[[listen]]\naddress = '127.0.0.1:7'"))
        == ["'listen' of [fleet] is '127.0.0.1:7', where clients connect: f:7"])
    #expect(
      complaints(text("\n[admin]\naddress = '127.0.0.1:7'"))
        == ["'listen' of [fleet] is '127.0.0.1:7', where the admin pages are: f:7"])
    #expect(complaints(text("\n[admin]\naddress = '127.0.0.1:8'")).isEmpty)
  }

  @Test func `nobody is found at port 0`() {
    #expect(
      complaints(Self.whole + "\nadvertise = '127.0.0.1:0'")
        == ["'advertise' of [fleet] must have a port of 1 to 65535, where others connect"])
  }

  @Test func `a fleet without a name, and half of who the gateway is for etcd, are mistakes`() {
    #expect(complaints("[fleet]\nlisten = \"10.0.0.1:5280\"") == ["[fleet] needs a 'name'"])
    #expect(complaints(Self.whole + "\nuser = \"u\"").count == 1)
  }

  @Test func `the environment names several engines with commas between`() throws {
    let environment = ["LASTWORD_FLEET_ENGINE": "etcd:http://c:1,etcd:http://d:2"]
    let settings = try FileConfiguration(
      ConfigurationSources(file: ("f", Array(Self.whole.utf8)), environment: environment))
    #expect(settings.fleet.values.engine.map(\.url) == ["http://c:1", "http://d:2"])
  }

  @Test(arguments: ["http://a:2379", "etcd:tcp://a:2379", "etcd:http://u:p@a:2379", "etcd:http://a:2379?x=1"])
  func `an engine is etcd at a URL that holds no secret`(address: String) {
    let text = Self.whole.replacing("etcd:http://a:2379", with: address)
    #expect(complaints(text).count == 1)
    #expect(!complaints(text).joined().contains("p@"))
  }

  @Test(arguments: ["", "a b", "a/b", String(repeating: "a", count: 65)])
  func `a fleet's name is one word of a path`(name: String) {
    #expect(complaints(Self.whole.replacing("\"search\"", with: "\"\(name)\"")).count == 1)
  }
}
