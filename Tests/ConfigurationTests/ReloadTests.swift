import Testing

@testable import Configuration

/// What can change while the gateway runs, and what takes a restart.
@Suite struct ReloadTests {
  private static let start = """
    [[listen]]
    address = "127.0.0.1:1"
    [[upstream]]
    name = "a"
    address = "exec:a"

    """

  private func changes(_ text: String) throws -> [String] {
    try configuration(text).lastingChanges(since: configuration(Self.start)).map(\.description)
  }

  @Test(arguments: [
    "", "connectMs = 1", "answerMs = 1", "maxInFlight = 1", "maxInFlightPerConnection = 1",
    "maxWaiting = 1", "outputSoftBytes = 1024",
    "outputHardBytes = 2_000_000",
    "[admin]\nhosts = ['a']\nstreams = 1\nconnections = 1\nstreamBytes = 4096",
    "[[route]]\nmethod = 'm'\npriority = 9", "[bounds]\nattemptMs = 1",
  ])
  func `bounds, times and routes change at once`(more: String) throws {
    #expect(try changes(Self.start + more) == [])
  }

  @Test(arguments: [
    ("framing = 'content-length'", "framing"), ("perConnection = true", "perConnection"),
    ("hard = true", "hard"), ("trustAnswers = true", "trustAnswers"),
    ("cancel = 'mcp'", "cancel"), ("passTask = true", "passTask"),
    ("passFence = true", "passFence"), ("passProgress = true", "passProgress"),
    ("keepAliveMs = 1", "keepAliveMs"), ("directory = '/'", "directory"),
    ("environment = ['A=1']", "environment"), ("graceMs = 1", "graceMs"),
  ])
  func `what shapes a connection takes a restart`(more: String, name: String) throws {
    let column = name.count + 4
    #expect(
      try changes(Self.start + more) == [
        "lw.toml:6:\(column): error: '\(name)' changes with a restart only"
      ])
  }

  @Test func `where sessions of MCP are takes a restart`() throws {
    let text = Self.start.replacing(
      "address = \"127.0.0.1:1\"\n", with: "address = \"127.0.0.1:1\"\nmcpPath = '/mcp'\n")
    #expect(try changes(text) == ["lw.toml:3:11: error: 'mcpPath' changes with a restart only"])
  }

  @Test func `addresses and their number take a restart`() throws {
    let other = Self.start.split(separator: "\n").map(String.init)
    func changed(_ line: Int, _ text: String) throws -> [String] {
      var lines = other
      lines[line] = text
      return try changes(lines.joined(separator: "\n"))
    }
    #expect(
      try changed(1, "address = '127.0.0.1:2'") == [
        "lw.toml:2:11: error: 'address' changes with a restart only"
      ])
    #expect(try changed(3, "name = 'b'") == ["lw.toml:4:8: error: 'name' changes with a restart only"])
    #expect(
      try changed(4, "addresses = ['exec:a', 'exec:a']") == [
        "lw.toml:3:3: error: 'address' changes with a restart only",
        "lw.toml:5:13: error: 'addresses' changes with a restart only",
      ])
    #expect(
      try changes(Self.start + "[[upstream]]\nname = 'b'\naddress = 'demo'")
        == ["lw.toml:6:3: error: the number of [[upstream]] changes with a restart only"])
  }

  @Test func `where the admin pages are takes a restart, and who may reach them`() throws {
    #expect(
      try changes("[admin]\naddress = '127.0.0.1:2'\naudience = 'network'\n" + Self.start) == [
        "lw.toml:2:11: error: 'address' changes with a restart only",
        "lw.toml:3:12: error: 'audience' changes with a restart only",
      ])
    let started = try configuration("[admin]\naddress = '127.0.0.1:2'")
    #expect(
      try configuration("").lastingChanges(since: started).map(\.description) == [
        "lw.toml:2:11: error: 'address' changes with a restart only: it was \"127.0.0.1:2\", and is not said any more"
      ])
  }

  @Test func `a command that is only written in another way is the same`() throws {
    #expect(try changes(Self.start.replacing("exec:a", with: "exec: 'a' ")) == [])
  }

  /// Each setting of an upstream was thought of.
  @Test func `what can change of an upstream are its bounds, and its certificates`() {
    #expect(
      UpstreamSettings.settings.filter { !$0.isLasting }.map(\.name)
        == UpstreamSettings.boundSettings.map(\.name) + ["tls.ca", "tls.certificate", "tls.key"])
  }
}
