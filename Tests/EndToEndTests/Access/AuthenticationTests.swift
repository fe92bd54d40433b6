import Foundation
import TestSupport
import Testing

/// Listeners that ask who their clients are, with the real binary.
@Suite struct AuthenticationTests {
  let directory: TemporaryDirectory
  let gateway: RunningGateway
  /// A token, and what the configuration keeps of it.
  let token: String
  let kept: String

  private var path: String { directory.path + "/lastword.toml" }
  private var socket: String { "unix:" + directory.path + "/socket" }

  init() throws {
    directory = try TemporaryDirectory()
    let made = try MadeToken()
    (token, kept) = (made.token, made.kept)
    try Self.write(kept, in: directory)
    gateway = try RunningGateway(["--config", directory.path + "/lastword.toml"], listen: [])
  }

  /// - Parameter credentials: of the first principal.
  private static func write(_ credentials: String, in directory: TemporaryDirectory) throws {
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      auth = "required"
      [[listen]]
      address = "unix:\(directory.path)/socket"
      auth = "required"
      [[principal]]
      name = "ada"
      \(credentials)
      [[principal]]
      name = "this user"
      users = ["\(getuid())"]
      """.replacing("this user", with: "this-user")
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/lastword.toml"))
  }

  private func authenticate(_ client: LineSocket, _ token: String) throws -> String? {
    try client.send(request(0, "lastword.authenticate", #"{"token":"\#(token)"}"#))
    return try client.receive()
  }

  @Test func `a token that was made is known, and no other`() throws {
    let client = try gateway.connect()
    try client.send(request(1, "echo"))
    #expect(try client.reply().code == -32087)
    #expect(try authenticate(client, token + "x")?.contains("-32087") == true)
    try gateway.awaitLog("log-ins with an unknown token")
    #expect(try authenticate(client, token) == #"{"jsonrpc":"2.0","id":0,"result":{"principal":"ada"}}"#)
    try client.send(request(2, "echo"))
    #expect(try client.reply().id == 2)
  }

  @Test func `the user of a Unix socket is known without a word`() throws {
    let client = try LineSocket(socket)
    try client.send(request(1, "echo"))
    #expect(try client.reply().id == 1)
    // It is somebody, and so nobody else.
    #expect(try authenticate(client, token)?.contains("-32088") == true)
  }

  @Test func `the command takes a token from a file or the environment, and says whom it is not for`() throws
  {
    let file = directory.path + "/token"
    try Data((token + "\n").utf8).write(to: URL(fileURLWithPath: file))
    func call(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (String?, Int32?) {
      let program = try RunningProgram(
        Programs.lastword, ["call", "--to", gateway.address, "echo", "[1]"] + arguments,
        environment: environment)
      return (program.outputLine(), program.exitStatus())
    }
    #expect(try call(["--token-file", file]) == ("[1]", 0))
    #expect(try call([], ["LASTWORD_TOKEN": token]) == ("[1]", 0))
    #expect(try call([], ["LASTWORD_TOKEN": "x"]).1 == 77)
    #expect(try call([]).1 == 77)
    #expect(try call(["--token-file", file + "2"]).1 == 66)
  }

  @Test func `a reload that takes a token away ends its connections, and their work`() throws {
    let client = try gateway.connect()
    #expect(try authenticate(client, token)?.contains("ada") == true)
    try client.send(sleeping(1, "slow", milliseconds: 60_000, policy: "cancel"))
    let other = try LineSocket(socket)
    try other.send(sleeping(1, "slow", milliseconds: 60_000, policy: "cancel"))
    #expect(try other.isInStep())
    try Self.write("tokens = [\"sha256:\(String(repeating: "0", count: 64))\"]", in: directory)
    gateway.program.signal(SIGHUP)
    #expect(try client.receive()?.contains("-32087") == true)
    #expect(try client.receive() == nil)
    #expect(try other.isInStep(), "who is known still is served still")
    #expect(try authenticate(gateway.connect(), token)?.contains("-32087") == true)
  }

  @Test func `neither the log nor what is shown of the configuration holds a token`() throws {
    let client = try gateway.connect()
    #expect(try authenticate(client, "no-such-secret")?.contains("-32087") == true)
    #expect(try !gateway.awaitLog("log-ins with an unknown token").contains("no-such-secret"))
    let shown = try RunningProgram(Programs.lastword, ["config", "show", path])
    while let line = shown.outputLine() { #expect(!line.contains(token)) }
    #expect(shown.exitStatus() == 0)
  }

  @Test func `a token that was chosen elsewhere is hashed from standard input`() throws {
    let script = "printf '%s\\n' '\(token)' | '\(Programs.lastword)' token --hash"
    let program = try RunningProgram("/bin/sh", ["-c", script])
    #expect(program.outputLine() == kept && program.exitStatus() == 0)
    let short = try RunningProgram("/bin/sh", ["-c", "echo short | '\(Programs.lastword)' token --hash"])
    #expect(short.errorLine()?.contains("at least 22 bytes") == true && short.exitStatus() == 65)
  }
}
