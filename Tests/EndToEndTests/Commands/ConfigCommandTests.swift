import Foundation
import TestSupport
import Testing

/// `lastword config` and `serve --config`, as those who run them see them.
@Suite struct ConfigCommandTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ text: String) throws -> String {
    let path = directory.path + "/lastword.toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(Programs.lastword, arguments, environment: environment)
  }

  private func output(_ program: RunningProgram) -> [String] {
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    return lines
  }

  private func errors(_ program: RunningProgram) -> [String] {
    var lines: [String] = []
    while let line = program.errorLine() { lines.append(line) }
    return lines
  }

  @Test func `check says that the example is right, and lists what is wrong with another`() throws {
    let example = Programs.repository + "/examples/lastword.toml"
    let right = try run(["config", "check", example], environment: ["LASTWORD_BOUNDS_TASKS": "0"])
    #expect(output(right) == ["\(example): ok"])
    #expect(right.exitStatus() == 0)
    let here = try run(
      ["config", "check", "--environment", example], environment: ["LASTWORD_BOUNDS_TASKS": "0"])
    #expect(errors(here) == ["environment LASTWORD_BOUNDS_TASKS: error: must be 1 to 2_000_000, not 0"])
    #expect(here.exitStatus() == 78)
    let path = try file("[bounds]\nmesageBytes = 1\ntasks = 0\n")
    let wrong = try run(["config", "check", path])
    #expect(
      errors(wrong) == [
        "\(path):2:1: error: unknown key 'mesageBytes' in [bounds]; did you mean 'messageBytes'?",
        "\(path):3:9: error: 'tasks' must be 1 to 2_000_000, not 0",
      ])
    #expect(wrong.exitStatus() == 78)
    let missing = try run(["config", "check", directory.path + "/none"])
    #expect(errors(missing) == ["\(directory.path)/none: error: cannot be read: No such file or directory"])
    #expect(missing.exitStatus() == 78)
  }

  @Test func `files and directories of upstreams that are not there are mistakes with their places`() throws {
    let none = directory.path + "/none"
    let empty = directory.path + "/empty.pem"
    try Data("nothing\n".utf8).write(to: URL(fileURLWithPath: empty))
    let command = "[[upstream]]\nname = 'a'\naddress = 'exec:cat'\ndirectory = "
    let web = "[[upstream]]\nname = 'a'\naddress = 'https://127.0.0.1:1/'\ncaFile = "
    let fleet =
      "[fleet]\nname = 'a'\nengine = 'etcd:https://127.0.0.1:1'\nlisten = '127.0.0.1:1'\nsecretFile = '\(empty)'\n"
    for (text, complaint) in [
      (
        command + "'\(none)'",
        "4:13: error: 'directory': \(none) cannot be entered: No such file or directory"
      ),
      (command + "'\(empty)'", "4:13: error: 'directory': \(empty) cannot be entered: Not a directory"),
      (web + "'\(none)'", "4:10: error: 'caFile': \(none) cannot be read: No such file or directory"),
      (web + "'\(empty)'", "4:10: error: 'caFile': "),
      (
        fleet + "engineCaFile = '\(none)'",
        "6:16: error: 'engineCaFile': \(none) cannot be read: No such file or directory"
      ),
      (fleet + "engineCaFile = '\(empty)'", "6:16: error: 'engineCaFile': "),
      (
        fleet + "engineCertificate = '\(empty)'\nengineKey = '\(none)'",
        "7:13: error: 'engineKey': \(none) cannot be read: No such file or directory"
      ),
      (
        fleet + "engineCertificate = '\(empty)'\nengineKey = '\(empty)'",
        "6:21: error: 'engineCertificate': "
      ),
    ] {
      let path = try file(text)
      let check = try run(["config", "check", path])
      let said = errors(check)
      #expect(said.count == 1 && said[0].hasPrefix("\(path):\(complaint)"), "\(said)")
      #expect(check.exitStatus() == 78)
      let serve = try run(["serve", "--config", path], environment: ["LASTWORD_LISTEN": "127.0.0.1:0"])
      let logged = errors(serve)
      #expect(logged.count == 1 && logged[0].contains("\(path):\(complaint)"), "\(logged)")
      #expect(serve.exitStatus() == 78)
    }
  }

  @Test func `show says what serve would use and where it is from`() throws {
    let path = try file("drainMs = 100\n\n[log]\nlevel = \"debug\"\n")
    let show = try run(
      ["config", "show", "--origin", "--config", path], environment: ["LASTWORD_BOUNDS_TASKS": "7"])
    let lines = output(show)
    #expect(show.exitStatus() == 0)
    for line in [
      "drainMs = 100  # \(path):1", "level = \"debug\"  # \(path):4", "connections = 10_000  # default",
      "tasks = 7  # environment LASTWORD_BOUNDS_TASKS",
    ] { #expect(lines.contains(line), "\(lines)") }
    let same = try run(["config", "show"], environment: ["LASTWORD_CONFIG": path])
    #expect(output(same).contains("drainMs = 100"))
  }

  @Test func `the example that the command prints is the one in the repository`() throws {
    let lines = output(try run(["config", "example"]))
    let committed = try String(
      contentsOfFile: Programs.repository + "/examples/lastword.toml", encoding: .utf8)
    #expect(lines.joined(separator: "\n") + "\n" == committed)
  }

  @Test func `serve does what its file says, and a flag wins over it`() throws {
    let upstream = try RunningUpstream()
    let path = try file(
      """
      drainMs = 3600000
      [bounds]
      timeoutMs = 30
      [[listen]]
      address = "unix:\(directory.path)/lw.sock"
      [[upstream]]
      name = "python"
      address = "\(upstream.address)"
      """)
    let gateway = try RunningGateway(["--config", path, "--drain-ms", "20"], listen: [])
    #expect(gateway.addresses == ["unix:\(directory.path)/lw.sock"])
    let client = try gateway.connect()
    #expect(try Reply(client.call(request(1, "sleep", #"{"ms":30000}"#))).code == -32083)
    #expect(try Reply(client.call(request(2, "echo", "[7]"))).code == nil)
    try client.send(request(3, "sleep", #"{"ms":30000}"#, key: "k", task: #","timeoutMs":60000"#))
    #expect(try client.isInStep())
    // With the file's drain time the watchdog would end this.
    gateway.program.signal(SIGTERM)
    #expect(try client.reply().code == -32085)
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test func `routes and listeners of a file are heeded`() throws {
    let path = try file(
      """
      [[listen]]
      address = "127.0.0.1:0"
      errorProfile = "lsp"
      [[route]]
      method = "sl*"
      key = "/q"
      policies = ["cancel"]
      """)
    let gateway = try RunningGateway(["--config", path], listen: [])
    let client = try gateway.connect()
    try client.send(request(1, "sleep", #"{"ms":30000,"q":"a"}"#))
    try client.send(request(2, "sleep", #"{"ms":0,"q":"a"}"#))
    let replies = try client.replies(2)
    #expect(replies[0].code == -32801 && replies[1].result == "a")
    #expect(
      try Reply(client.call(request(3, "sleep", #"{"ms":0}"#, key: "k", policy: "wait"))).code == -32602)
  }

  @Test func `with a bad file nothing opens`() throws {
    let socket = directory.path + "/lw.sock"
    let path = try file("[[listen]]\naddress = \"unix:\(socket)\"\nscpe = \"shared\"\n")
    let program = try run(["serve", "--config", path])
    #expect(
      errors(program) == ["\(path):3:1: error: unknown key 'scpe' in [[listen]]; did you mean 'scope'?"])
    #expect(program.exitStatus() == 78)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }
}
