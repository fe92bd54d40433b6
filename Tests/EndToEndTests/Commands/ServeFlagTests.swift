import Foundation
import TestSupport
import Testing

/// What `lastword serve` can be told of its upstream without a file.
@Suite struct ServeFlagTests {
  private func serve(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram(Programs.lastword, ["serve", "--listen", "127.0.0.1:0"] + arguments)
  }

  @Test(arguments: ["notification", "abort"])
  func `a way to cancel that needs more is refused`(dialect: String) throws {
    let program = try serve("--cancel", dialect)
    #expect(
      program.errorLine()
        == "Error: --cancel \(dialect) needs more than a flag can say: it belongs in a configuration file")
    #expect(program.exitStatus() == 64)
  }

  @Test(arguments: [
    ("exec:server 'a b", "a ' of it is not closed"), ("127.0.0.1:9", "did you mean 'tcp:127.0.0.1:9'?"),
  ])
  func `an address that is none is refused with the reason`(address: String, reason: String) throws {
    let program = try serve("--upstream", address)
    let line = try #require(program.errorLine())
    #expect(line.hasPrefix("flag --upstream: error: must be tcp:HOST:PORT, ") && line.hasSuffix(reason))
    #expect(program.exitStatus() == 78)
  }

  @Test func `a directory to search that is none is refused`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    for (path, reason) in [("/nowhere/at/all", "No such file or directory"), (file, "Not a directory")] {
      let program = try serve("--demo-directory", path)
      #expect(program.errorLine() == "lastword: --demo-directory \(path): \(reason)")
      #expect(program.exitStatus() == 66)
    }
  }

  @Test func `upstream is spoken to in the framing that is asked for`() throws {
    let listening = try ListeningSocket()
    let gateway = try RunningGateway(upstream: listening.address, ["--framing", "content-length"])
    let upstream = try listening.acceptGateway()
    let client = try gateway.connect()
    try client.send(request(1, "m"))
    let asked = try #require(try upstream.expectFrame().upstreamID)
    try upstream.send(frame: #"{"jsonrpc":"2.0","id":\#(asked),"result":"framed"}"#)
    #expect(try client.reply().result == "framed")
  }

  @Test func `each client has its own connection if that is asked for`() throws {
    let listening = try ListeningSocket()
    let gateway = try RunningGateway(
      upstream: listening.address, ["--per-connection"], reachesUpstream: false)
    let clients = try (1...2).map { _ in try gateway.connect() }
    for (index, client) in clients.enumerated() {
      try client.send(request(1, "m\(index)"))
      let upstream = try listening.accept()
      let asked = try upstream.asked()
      #expect(asked.method == "m\(index)")
      try upstream.answer(asked.id!, "its own")
      #expect(try client.reply().result == "its own")
    }
  }

  @Test func `what a child of its own says behind the end of a client's input still reaches that`() throws {
    let directory = try TemporaryDirectory()
    let script = directory.path + "/script"
    let late = """
      read -r line
      id=${line#*'"id":'}
      cat >/dev/null
      echo '{"jsonrpc":"2.0","id":'"${id%%,*}"',"result":7}'
      sleep 0.3
      echo '{"jsonrpc":"2.0","method":"late"}'
      """
    try Data(late.utf8).write(to: URL(fileURLWithPath: script))
    let gateway = try RunningGateway(
      upstream: "exec:sh \(script)", ["--per-connection"], reachesUpstream: false)
    let client = try gateway.connect()
    try client.send(request(8, "m"))
    client.finish()
    #expect(try client.receive() == #"{"jsonrpc":"2.0","id":8,"result":7}"#)
    #expect(try client.receive() == #"{"jsonrpc":"2.0","method":"late"}"#)
    #expect(try client.receive() == nil)
  }

  @Test func `what takes a restart is named, and nothing changes`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = "[[upstream]]\nname = \"a\"\naddress = \"tcp:127.0.0.1:1\"\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], reachesUpstream: false)
    try Data((text + "perConnection = true\n").utf8).write(to: URL(fileURLWithPath: path))
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("\(path):4:17: error: 'perConnection' changes with a restart only")
    try gateway.awaitLog("the configuration stays as it was")
    #expect(gateway.stop() == 0)
  }
}
