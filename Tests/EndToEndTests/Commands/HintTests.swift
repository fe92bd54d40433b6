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
    ("health --host x", "--address HOST:PORT pings"), ("fleet status --port 1", "Hint: --admin HOST:PORT"),
    ("help srve", "Hint: did you mean 'lastword serve'?"),
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
    ("[1", "there is more to come at their end"), ("", "are empty"), (" ", "are empty"),
    ("-", "no JSON from character 1 on"),
    ("7", "neither an array nor an object"), ("[],\"id\":2", "no JSON from character 3 on"),
  ])
  func `params that are none are told before anybody is asked`(params: String, words: String) throws {
    // Nobody listens there, which would have another status.
    let port = try ListeningSocket().port
    let (text, status) = try complaint(["call", "echo", params, "--to", "\(port)"])
    #expect(text.hasPrefix("lastword: the params are ") && text.contains(words), "\(text)")
    #expect(text.hasSuffix(#"; say, for example, '["hello"]' or '{"q":"hello"}'"#))
    #expect(status == 65)
  }

  @Test func `params that are nested too deep are refused by the gateway, which names its bound`() throws {
    let gateway = try RunningGateway(listen: ["0"])
    let deep = String(repeating: "[", count: 130) + String(repeating: "]", count: 130)
    let call = try RunningProgram(Programs.lastword, ["call", "echo", deep, "--to", gateway.address])
    #expect(call.outputLine()?.contains("nested deeper than nestingLevels (128)") == true)
    #expect(call.exitStatus() == 65)
  }

  @Test func `a word that is no UTF-8 is refused`() throws {
    let program = try RunningProgram(
      "/bin/bash", ["-c", #"'\#(Programs.lastword)' call m --key $'a\xffb'"#])
    #expect(program.errorLine()?.contains("word 4 of the command line is no UTF-8") == true)
    #expect(program.exitStatus() == 64)
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

  @Test func `a file where a socket is to be is told, and stays`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/some.toml"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    let (text, status) = try complaint(["serve", "--listen", "unix:\(path)", "--log-format", "text"])
    #expect(text.contains("EEXIST") && text.contains("what is there is no socket"), "\(text)")
    #expect(!text.contains("another lastword") && status == 73)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
  }

  @Test func `a word that is given twice is named`() throws {
    let (text, status) = try complaint(["call", "m", "--key", "a", "--key=b"])
    #expect(text.contains("--key is given twice") && status == 64, "\(text)")
  }

  @Test func `few open files are told of at the start, with how many can come`() throws {
    let gateway = try RunningGateway(
      descriptorLimit: 64, environment: RunningGateway.oneLoop, opensPages: false)
    let warning = gateway.banner.first { $0.contains("connections at once") }
    #expect(
      warning?.contains("16 connections at once, and not 10000") == true
        && warning?.contains("open only 64 files") == true, "\(gateway.banner)")
  }

  @Test func `whoever asks in vain without a token is told where one goes`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let socket = "unix:\(directory.path)/lw.sock"
    let kept = String(repeating: "0", count: 64)
    try """
    [[listen]]
    address = "\(socket)"
    auth = "required"
    [[principal]]
    name = "ada"
    tokens = ["sha256:\(kept)"]
    """.write(toFile: path, atomically: true, encoding: .utf8)
    let gateway = try RunningGateway(["--config", path], listen: [])
    let (text, status) = try complaint(["call", "echo", "[1]", "--to", gateway.address])
    #expect(text.contains("--token-file") && status == 77, "\(text)")
    let load = try complaint(["load", "--to", gateway.address, "--requests", "20", "--quiet"])
    #expect(load.text.contains("--token-file") && load.status == 69, "\(load)")
  }

  @Test func `a port that ends what is no TLS may have it`() throws {
    let listener = try ListeningSocket()
    let program = try RunningProgram(Programs.lastword, ["call", "echo", "--to", "\(listener.port)"])
    _ = try listener.accept()
    let line = program.errorLine()
    #expect(line?.contains("--to tls:127.0.0.1:\(listener.port)") == true, "\(line ?? "")")
    #expect(program.exitStatus() == 69)
  }

  @Test func `params that a method does not take are not valid`() throws {
    let gateway = try RunningGateway()
    let program = try RunningProgram(
      Programs.lastword, ["call", "lastword.cancel", "[]", "--to", gateway.address])
    #expect(program.outputLine()?.contains("-32602") == true)
    #expect(program.exitStatus() == 65)
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
