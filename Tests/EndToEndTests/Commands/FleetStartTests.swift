import Foundation
import TestSupport
import Testing

/// A member of a fleet whose etcd cannot be reached, as its log tells it.
@Suite struct FleetStartTests {
  @Test func `the log says why etcd is not reached, and of one that never joined not that it left`() throws {
    let directory = try TemporaryDirectory()
    let secret = directory.path + "/secret"
    let file = directory.path + "/lastword.toml"
    try Data(String(repeating: "s", count: 32).utf8).write(to: URL(fileURLWithPath: secret))
    // Nobody listens there any more.
    let port = try ListeningSocket().port
    let text = """
      drainMs = 100
      [log]
      format = "text"
      [fleet]
      name = "alone"
      engine = "etcd:http://127.0.0.1:\(port)"
      listen = "127.0.0.1:0"
      secretFile = "\(secret)"
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let program = try RunningProgram(
      Programs.lastword, ["serve", "--config", file, "--listen", "127.0.0.1:0"])
    var lines: [String] = []
    while let line = program.errorLine() {
      lines.append(line)
      if line.contains("etcd does not answer") { break }
    }
    #expect(lines.last?.contains("ECONNREFUSED") == true, "\(lines)")
    program.signal(SIGTERM)
    lines = []
    while let line = program.errorLine() { lines.append(line) }
    #expect(program.exitStatus() == 0)
    #expect(lines.contains { $0.contains("stopped before it had joined the fleet") }, "\(lines)")
    #expect(!lines.contains { $0.contains("left the fleet") }, "\(lines)")
  }
}
