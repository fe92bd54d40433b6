import Foundation
import TestSupport
import Testing

/// `lastword health` as a container's engine sees it.
@Suite struct HealthTests {
  private struct Verdict {
    let status: Int32?
    let line: String
  }

  private func health(_ arguments: String?..., environment: [String: String] = [:]) throws -> Verdict {
    let program = try RunningProgram(
      Programs.lastword, ["health"] + arguments.compactMap { $0 }, environment: environment)
    let line = program.outputLine() ?? program.errorLine() ?? ""
    #expect(program.outputLine() == nil)
    return Verdict(status: program.exitStatus(), line: line)
  }

  @Test func `it asks the admin pages, by flag or by configuration`() throws {
    let gateway = try RunningGateway(["--admin", "127.0.0.1:0"])
    let address = try #require(gateway.adminAddress)
    let byFlag = try health("--admin", address)
    #expect(byFlag.status == 0 && byFlag.line == "http://\(address)/readyz: ready")
    let byEnvironment = try health(environment: ["LASTWORD_ADMIN_ADDRESS": address])
    #expect(byEnvironment.status == 0 && byEnvironment.line == byFlag.line)
    let live = try health("--live", environment: ["LASTWORD_ADMIN_ADDRESS": address])
    #expect(live.status == 0 && live.line == "http://\(address)/livez: ok")
  }

  @Test func `without admin pages it pings where clients connect`() throws {
    let gateway = try RunningGateway()
    let byFlag = try health("--address", gateway.address)
    #expect(byFlag.status == 0 && byFlag.line == "ping \(gateway.address): ok")
    let byEnvironment = try health(environment: ["LASTWORD_LISTEN": gateway.address])
    #expect(byEnvironment.status == 0 && byEnvironment.line == byFlag.line)
  }

  @Test func `what listens everywhere is reached over loopback`() throws {
    let gateway = try RunningGateway(
      ["--admin", "0.0.0.0:0", "--audience", "network"], listen: ["0.0.0.0:0"],
      environment: ["LASTWORD_ADMIN_AUDIENCE": "network"])
    #expect(try health("--address", gateway.address).line.hasPrefix("ping 127.0.0.1:"))
    let verdict = try health("--admin", gateway.adminAddress)
    #expect(verdict.status == 0 && verdict.line.hasPrefix("http://127.0.0.1:"))
  }

  @Test func `Unix sockets are asked, too`() throws {
    let directory = try TemporaryDirectory()
    let (admin, listen) = ("unix:\(directory.path)/admin.sock", "unix:\(directory.path)/lw.sock")
    let gateway = try RunningGateway(["--admin", admin], listen: [listen])
    #expect(try health("--admin", admin).line == "\(admin) /readyz: ready")
    #expect(try health("--address", listen).line == "ping \(listen): ok")
    #expect(gateway.stop() == 0)
    #expect(try health("--admin", admin).status == 1)
  }

  @Test func `a gateway that is not ready is not well, but lives`() throws {
    let port = try ListeningSocket().port
    let gateway = try RunningGateway(
      upstream: "tcp:127.0.0.1:\(port)", ["--admin", "127.0.0.1:0"], reachesUpstream: false)
    let verdict = try health("--admin", gateway.adminAddress)
    #expect(verdict.status == 1 && verdict.line.hasSuffix("/readyz: upstream main is not connected"))
    #expect(try health("--live", "--admin", gateway.adminAddress).status == 0)
  }

  @Test func `nobody, somebody else and somebody silent are not well`() throws {
    let gateway = try RunningGateway(["--admin", "127.0.0.1:0"])
    let nobody = try health("--address", "127.0.0.1:\(try ListeningSocket().port)")
    #expect(nobody.status == 1 && nobody.line.contains("ECONNREFUSED"))
    let noPage = try health("--admin", gateway.address)
    #expect(noPage.status == 1 && noPage.line.hasSuffix("what answers there is no admin page"))
    let noGateway = try health("--address", gateway.adminAddress)
    #expect(noGateway.status == 1 && noGateway.line.hasSuffix(" 400 Bad Request"))
    let silent = try ListeningSocket()
    let noAnswer = try health("--admin", "127.0.0.1:\(silent.port)", "--timeout-ms", "50")
    #expect(noAnswer.status == 1 && noAnswer.line.hasSuffix(": no answer within 50 ms"))
  }

  @Test(arguments: [
    ("--admin", "HTTP/1.1 503 X\r\n\r\n"), ("--address", ""),
  ])
  func `what somebody else answers controls nothing, and is cut`(flag: String, head: String) throws {
    let peer = try ListeningSocket()
    let program = try RunningProgram(
      Programs.lastword, ["health", flag, "127.0.0.1:\(peer.port)", "--timeout-ms", "60000"])
    let connection = try peer.accept()
    // Less than what makes no sense at all.
    let padding = String(repeating: "x", count: 64 * 1024 - 100)
    try connection.send("\(head)\u{1b}]0;mine\u{7}\r\u{202e}\(padding)")
    connection.finish()
    let line = try #require(program.outputLine())
    #expect(line.contains(#": \u{1b}]0;mine\u{7}\u{d}\u{202e}xxx"#) && line.hasSuffix("xxx…"))
    #expect(line.utf8.count < 5_000)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 1)
    connection.close()
  }

  @Test func `what cannot be asked is not well, and no other status is given`() throws {
    let wrong = try health(environment: ["LASTWORD_ADMIN_ADDRESS": "0.0.0.0:1"])
    #expect(wrong.status == 1 && wrong.line.hasPrefix("environment LASTWORD_ADMIN_ADDRESS: error: "))
    let unknown = try health(environment: ["LASTWORD_LISTEN": "127.0.0.1:0"])
    #expect(unknown.status == 1 && unknown.line.hasSuffix("its port is not known: the system chose it"))
  }
}
