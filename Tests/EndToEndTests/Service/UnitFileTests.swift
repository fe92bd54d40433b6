import Foundation
import TestSupport
import Testing

/// systemd's own tool, where there is one.
private enum SystemdTool {
  static let path = "/usr/bin/systemd-analyze"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

/// `examples/systemd/lastword.service`, as systemd's own tools see it.
@Suite(.enabled(if: SystemdTool.isInstalled)) struct UnitFileTests {
  /// Where the program is that the unit starts.
  private static let installed = "/usr/local/bin/lastword"

  private let directory: TemporaryDirectory
  private let unit: String

  init() throws {
    directory = try TemporaryDirectory()
    let path = Programs.repository + "/examples/systemd/lastword.service"
    unit = try String(contentsOfFile: path, encoding: .utf8)
  }

  /// What a command of the tool says of a unit, and its status.
  private func analyze(_ arguments: [String], _ text: String) throws -> (said: [String], status: Int32?) {
    let path = directory.path + "/lastword.service"
    try Data(text.replacing(Self.installed, with: Programs.lastword).utf8).write(
      to: URL(fileURLWithPath: path))
    let program = try RunningProgram(SystemdTool.path, arguments + [path])
    var said: [String] = []
    while let line = program.errorLine() { said.append(line) }
    return (said, program.exitStatus())
  }

  @Test func `nothing in it is wrong or unknown`() throws {
    let (said, status) = try analyze(["verify", "--man=no"], unit)
    #expect(said.isEmpty && status == 0, "\(said)")
    // It would be said.
    for (right, wrong) in [("Type=notify", "Typ=notify"), ("WatchdogSec=10", "WatchdogSec=soon")] {
      let (complaints, _) = try analyze(["verify", "--man=no"], unit.replacing(right, with: wrong))
      #expect(complaints.contains { $0.contains("lastword.service") }, "\(complaints)")
    }
  }

  @Test func `what the service could do to its machine is little`() throws {
    let arguments = ["security", "--offline=true", "--no-pager"]
    #expect(try analyze(arguments + ["--threshold=20"], unit).status == 0)
    #expect(try analyze(arguments + ["--threshold=5"], unit).status != 0)
  }

  @Test func `the audit log that the example proposes is where the service may write`() throws {
    let example = try String(contentsOfFile: Programs.repository + "/examples/lastword.toml", encoding: .utf8)
    let path = try #require(example.firstMatch(of: /(?m)^#audit = "(.+)"$/)).1
    let directory = try #require(unit.firstMatch(of: /(?m)^LogsDirectory=(.+)$/)).1
    #expect(path == "/var/log/\(directory)/audit.log")
  }

  @Test func `it gives the drain its time, and starts what is documented`() throws {
    let settings = unit.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(settings.contains("ExecStart=\(Self.installed) serve --config /etc/lastword/lastword.toml"))
    let stop = try #require(unit.firstMatch(of: /(?m)^TimeoutStopSec=(\d+)$/)).1
    let example = try String(contentsOfFile: Programs.repository + "/examples/lastword.toml", encoding: .utf8)
    let drain = try #require(example.firstMatch(of: /(?m)^drainMs = (\d+)$/)).1
    let grace = try #require(example.firstMatch(of: /(?m)^#?graceMs = ([\d_]+)$/)).1.replacing("_", with: "")
    #expect(Int(stop)! * 1_000 > Int(drain)! + Int(grace)!)
  }
}
