import Foundation
import TestSupport
import Testing

/// The statuses that the command ends with: those of sysexits.
@Suite struct ExitStatusTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What is said, and the status; DIR is a directory with files in it, PORT a port that is taken.
  static let rows: [(command: String, status: Int32)] = [
    ("--version", 0), ("serve --help", 0), ("config example", 0), ("config check DIR/right.toml", 0),
    // Usage.
    ("nonsense", 64), ("serve --nonsense", 64), ("serve --listen nowhere", 64),
    ("serve --log-format xml", 64),
    ("serve --cancel abort", 64), ("call", 64), ("call m --superseded follow", 64),
    ("call m --key k --superseded keep", 64), ("wrap", 64), ("wrap -- DIR/none", 127),
    ("simulate --seeds 0", 64),
    ("load --seconds 0", 64), ("config", 0), ("wrap -- DIR", 126), ("help serve", 0), ("help nosuch", 64),
    ("help config nosuch", 64), ("serve --upstream demo --upstream demo", 64),
    ("serve --config=a --config b", 64),
    ("serve --drain-ms=-1", 64), ("serve --drain-ms abc", 64), ("load --cancel-after-ms 5", 64),
    ("demo DIR --page-address 127.0.0.1:0", 64), ("load upstream --listen 0.0.0.0:0", 64),
    // What is read.
    ("demo DIR/none", 66), ("load compare DIR/none DIR/none", 66),
    ("load compare DIR/right.toml DIR/right.toml", 65),
    // Nobody there.
    ("call ping --to 127.0.0.1:1", 69), ("call ping --to unix:DIR/none", 69),
    ("load --to 127.0.0.1:1 --seconds 1 --quiet", 69),
    ("serve --listen 127.0.0.1:PORT", 69), ("demo DIR --listen 127.0.0.1:PORT", 69),
    ("load upstream --listen 127.0.0.1:PORT", 69),
    // An address of documentation's, which is nobody's.
    ("serve --audience network --listen 192.0.2.1:0", 69),
    // What cannot be made.
    ("serve --listen unix:DIR/none/socket", 73), ("serve --listen unix:DIR/right.toml/socket", 73),
    ("load upstream --listen unix:DIR/none/socket", 73), ("serve --listen unix:DIR/right.toml", 73),
    // The configuration.
    ("serve --config DIR/none", 78), ("serve --config DIR", 78), ("serve --config DIR/wrong.toml", 78),
    ("serve --upstream ftp://x/", 78), ("config check DIR/wrong.toml", 78), ("config check DIR/none", 78),
    ("config show --config DIR/wrong.toml", 78), ("wrap --config DIR/wrong.toml -- cat", 78),
  ]

  private func write(_ text: String, to name: String) throws -> String {
    let path = directory.path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func words(_ command: String, port: UInt16 = 0) -> [String] {
    command.split(separator: " ").map {
      String($0).replacing("DIR", with: directory.path).replacing("PORT", with: "\(port)")
    }
  }

  @Test(arguments: rows)
  func `every failure has its status`(command: String, status: Int32) throws {
    _ = try write("", to: "right.toml")
    _ = try write("drainMs = -1\n", to: "wrong.toml")
    let taken = try ListeningSocket()
    let program = try RunningProgram(Programs.lastword, words(command, port: taken.port))
    #expect(program.exitStatus() == status)
  }

  // MARK: What is not allowed

  static let forbidden = [
    "serve --config DIR/forbidden.toml", "config check DIR/forbidden.toml",
    "serve --listen unix:DIR/closed/socket", "load upstream --listen unix:DIR/closed/socket",
    "demo DIR --listen unix:DIR/closed/socket",
  ]

  @Test(arguments: forbidden)
  func `what is not allowed has one of its own`(command: String) throws {
    chmod(try write("", to: "forbidden.toml"), 0)
    mkdir(directory.path + "/closed", 0o500)
    // Root may do everything, unless it gives its capabilities away.
    let words = [Programs.lastword] + words(command)
    let program =
      geteuid() == 0
      ? try RunningProgram("/usr/bin/env", ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] + words)
      : try RunningProgram("/usr/bin/env", words)
    #expect(program.exitStatus() == 77)
  }

  // MARK: What the system does not give

  @Test func `output that cannot be written is a failure`() throws {
    for command in [
      "config example", "config show", "simulate --seeds 1 --steps 10", "--help", "serve --help", "--version",
      "help",
      "--generate-completion-script zsh",
    ] {
      let program = try RunningProgram(
        "/bin/sh", ["-c", "exec '\(Programs.lastword)' \(command) >/dev/full"])
      #expect(program.exitStatus() == 74, "\(command)")
    }
  }

  // With fewer, one of which is the log's own, libuv itself gives up.
  @Test(arguments: 7...16)
  func `without descriptors it starts or ends with a status that says so`(limit: Int) throws {
    let script = "ulimit -n \(limit); exec '\(Programs.lastword)' serve --listen 127.0.0.1:0"
    let program = try RunningProgram("/bin/sh", ["-c", script], environment: ["LASTWORD_LOG_FORMAT": "text"])
    var isReady = false
    while !isReady, let line = program.errorLine() { isReady = line.hasSuffix("Started") }
    if isReady { program.signal(SIGTERM) }
    #expect(program.exitStatus() == (isReady ? 0 : 71))
  }
}
