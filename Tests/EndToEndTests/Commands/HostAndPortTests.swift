import Foundation
import TestSupport
import Testing

/// `HOST` and `PORT`, as platforms for containers set them.
@Suite struct HostAndPortTests {
  private func run(
    _ arguments: String..., host: String, port: String, audience: String = "loopback"
  ) throws -> RunningProgram {
    let environment = ["HOST": host, "PORT": port, "LASTWORD_LISTEN_AUDIENCE": audience]
    return try RunningProgram(Programs.lastword, arguments, environment: environment)
  }

  @Test(arguments: [("127.0.0.1", "127.0.0.1:"), ("::1", "[::1]:")])
  func `serve listens where they say, and health finds it`(host: String, beginning: String) throws {
    let gateway = try RunningGateway(listen: [], environment: ["HOST": host, "PORT": "0"])
    #expect(gateway.addresses.count == 1 && gateway.address.hasPrefix(beginning))
    let port = String(try #require(gateway.address.split(separator: ":").last))
    let health = try run("health", host: host, port: port)
    #expect(health.outputLine() == "ping \(gateway.address): ok")
    #expect(health.exitStatus() == 0)
  }

  @Test func `on all interfaces it is found over loopback`() throws {
    let environment = ["HOST": "0.0.0.0", "PORT": "0", "LASTWORD_LISTEN_AUDIENCE": "network"]
    let gateway = try RunningGateway(listen: [], environment: environment)
    let port = String(try #require(gateway.address.split(separator: ":").last))
    let health = try run("health", host: "0.0.0.0", port: port, audience: "network")
    #expect(health.outputLine() == "ping 127.0.0.1:\(port): ok")
    #expect(health.exitStatus() == 0)
  }

  @Test func `an address that is named is the one`() throws {
    let directory = try TemporaryDirectory()
    let socket = "unix:\(directory.path)/lw.sock"
    let gateway = try RunningGateway(listen: [socket], environment: ["HOST": "", "PORT": "none"])
    #expect(gateway.addresses == [socket])
  }

  @Test(arguments: [
    ("127.0.0.1", "65536", "environment PORT: error: must be 0 to 65_535, not '65536'"),
    ("a b", "80", "environment HOST: error: must be a host's name or IP address, not 'a b'"),
  ])
  func `with one that is wrong nothing starts`(host: String, port: String, line: String) throws {
    let program = try run("serve", host: host, port: port)
    #expect(program.errorLine() == line)
    #expect(program.exitStatus() == 78)
  }

  @Test func `config show says that they gave the address, config check is about the file`() throws {
    let show = try run("config", "show", "--origin", host: "0.0.0.0", port: "80", audience: "network")
    var lines: [String] = []
    while let line = show.outputLine() { lines.append(line) }
    #expect(lines.contains(#"address = "0.0.0.0:80"  # environment HOST and PORT"#), "\(lines)")
    let file = Programs.repository + "/examples/lastword.toml"
    let check = try run("config", "check", file, host: "", port: "")
    #expect(check.outputLine()?.hasSuffix(": ok") == true)
    #expect(check.exitStatus() == 0)
  }

  @Test func `where a client connects is not theirs to say`() throws {
    let help = try run("call", "--help", host: "192.0.2.1", port: "1")
    var text = ""
    while let line = help.outputLine() { text += line + "\n" }
    #expect(text.contains("(default: 127.0.0.1:5278)"))
  }
}
