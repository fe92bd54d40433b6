import Foundation
import TestSupport
import Testing

/// `lastword load` against a gateway that asks who its clients are.
@Suite struct LoadLoginTests {
  private let directory: TemporaryDirectory
  private let gateway: RunningGateway
  private let tokenFile: String
  private let token: String

  init() throws {
    directory = try TemporaryDirectory()
    let made = try MadeToken()
    token = made.token
    tokenFile = directory.path + "/token"
    try Data((token + "\n").utf8).write(to: URL(fileURLWithPath: tokenFile))
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      auth = "required"
      [[principal]]
      name = "ada"
      \(made.kept)
      """
    let path = directory.path + "/lastword.toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    gateway = try RunningGateway(["--config", path], listen: [], reachesUpstream: false)
  }

  private func load(_ more: [String], _ environment: [String: String] = [:]) throws -> (
    output: String, error: String?, status: Int32?
  ) {
    let words =
      ["load", "--to", gateway.address, "--connections", "4", "--seconds", "0.5"]
      + RunningGateway.loadFlags
    let program = try RunningProgram(Programs.lastword, words + more, environment: environment)
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    return (lines.joined(separator: "\n"), program.errorLine(), program.exitStatus())
  }

  @Test func `each connection says who it is before it asks`() throws {
    let right = "one reply for each request, nothing stale"
    let byFile = try load(["--token-file", tokenFile])
    #expect(byFile.status == 0 && byFile.output.contains(right), "\(byFile)")
    #expect(try gateway.metrics()["lastword_unauthenticated_messages_total"] == 0)
    let byVariable = try load([], ["LASTWORD_TOKEN": token])
    #expect(byVariable.status == 0 && byVariable.output.contains(right), "\(byVariable)")
  }

  @Test(arguments: ["ws", "http", "sse", "mix"])
  func `over whatever transport`(transport: String) throws {
    let right = try load(["--token-file", tokenFile, "--transport", transport, "--disconnects", "20"])
    #expect(right.status == 0, "\(right)")
    #expect(try gateway.metrics()["lastword_unauthenticated_messages_total"] == 0)
    let wrong = try load(["--transport", transport], ["LASTWORD_TOKEN": "lw_nobodys-0123456789abcdef"])
    #expect(wrong.status == 69, "\(wrong)")
    #expect(wrong.error?.contains("does not take the token: error -32087") == true, "\(wrong)")
  }

  @Test func `connections that are made anew say it, too`() throws {
    let load = try load(["--token-file", tokenFile, "--disconnects", "40"])
    #expect(load.status == 0, "\(load)")
    let metrics = try gateway.metrics()
    #expect(metrics["lastword_unauthenticated_messages_total"] == 0)
    #expect(
      metrics.filter { $0.key.hasPrefix("lastword_authentications_total") }.values.reduce(0, +) > 4,
      "\(metrics)")
  }

  @Test func `a token that is nobody's ends it, and is not shown`() throws {
    let load = try load([], ["LASTWORD_TOKEN": "lw_nobodys-0123456789abcdef"])
    #expect(load.status == 69)
    #expect(load.error?.contains("does not take the token: error -32087") == true, "\(load)")
    #expect(load.error?.contains("nobodys") == false)
  }

  @Test func `a gateway of its own is not told a token`() throws {
    let own = try RunningProgram(
      Programs.lastword, ["load", "--connections", "2", "--seconds", "0.2"],
      environment: ["LASTWORD_TOKEN": token])
    while own.outputLine() != nil {}
    #expect(own.exitStatus() == 0)
    let useless = try RunningProgram(Programs.lastword, ["load", "--token-file", tokenFile])
    #expect(useless.errorLine()?.contains("--token-file needs --to") == true)
    #expect(useless.exitStatus() == 64)
  }
}
