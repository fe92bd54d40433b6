import Foundation
import TestSupport
import Testing

/// What the command says to somebody who has made a likely mistake: what to do.
@Suite struct HintTests {
  private func complaint(_ arguments: [String]) throws -> (text: String, status: Int32?) {
    let program = try RunningProgram(Programs.lastword, arguments)
    var lines: [String] = []
    while let line = program.errorLine() { lines.append(line) }
    return (lines.joined(separator: "\n"), program.exitStatus())
  }

  @Test(arguments: [
    ("serve --port 5278", "Hint: --listen PORT"), ("call ping --port 5278", "--to PORT connects"),
    ("serve --policy cancel", "Hint: a policy belongs to a request (task.policy)"),
    ("srve", "Hint: did you mean 'lastword serve'?"), ("helth", "Hint: did you mean 'lastword health'?"),
  ])
  func `a word that it does not know has a hint, and the status stays`(command: String, hint: String) throws {
    let (text, status) = try complaint(command.split(separator: " ").map(String.init))
    #expect(text.hasPrefix("Error: ") && text.contains(hint), "\(text)")
    #expect(status == 64)
  }

  @Test func `a word that resembles none has no hint`() throws {
    #expect(try complaint(["xyzzy"]).text.contains("Hint") == false)
  }

  @Test(arguments: [
    ("{bad", "no JSON from character 2 on"), ("[1,é,2]", "no JSON from character 4 on"),
    ("[1", "there is more to come at their end"), ("", "there is more to come at their end"),
    ("7", "neither an array nor an object"), ("[],\"id\":2", "no JSON from character 3 on"),
  ])
  func `params that are none are told before anybody is asked`(params: String, words: String) throws {
    // Nobody listens there, which would have another status.
    let port = try ListeningSocket().port
    let (text, status) = try complaint(["call", "echo", params, "--to", "\(port)"])
    #expect(text.hasPrefix("lastword: the params are ") && text.hasSuffix(words), "\(text)")
    #expect(status == 65)
  }

  @Test func `nobody there is told with what starts a gateway`() throws {
    let port = try ListeningSocket().port
    let (text, status) = try complaint(["call", "echo", "--to", "\(port)"])
    #expect(text.contains("ECONNREFUSED") && text.contains("`lastword serve` starts a gateway"), "\(text)")
    #expect(status == 69)
  }

  @Test func `a port alone is one of this machine, and one in use is told with what to do`() throws {
    let gateway = try RunningGateway(listen: ["0"])
    let port = try #require(gateway.address.split(separator: ":").last)
    #expect(gateway.address == "127.0.0.1:\(port)")
    let (text, status) = try complaint(["serve", "--listen", String(port), "--log-format", "text"])
    #expect(text.contains("is another lastword running? --listen takes another address"), "\(text)")
    #expect(status == 69)
  }

  @Test func `config show takes a file like config check`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/some.toml"
    try "[bounds]\ntimeoutMs = 1234\n".write(toFile: file, atomically: true, encoding: .utf8)
    let program = try RunningProgram(Programs.lastword, ["config", "show", file])
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    #expect(lines.contains("timeoutMs = 1234"))
    #expect(try complaint(["config", "show", file, "--config", file]).status == 64)
  }
}
