import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// The program of `examples/` that measures what the gateway changes for somebody who types.
  @Suite struct TypingSessionTests {
    private func table(of server: String) throws -> [[String]] {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let program = try RunningProgram(
        "/usr/bin/env",
        [
          "timeout", "\(2 * LineSocket.watchdogSeconds)", "python3",
          Programs.repository + "/examples/typing-session.py", "--lastword", Programs.lastword,
          "--server", server, "--rounds", "1", "--lines", "1",
        ], environment: ["PATH": "\(RealServers.installed("")):\(path)"])
      var rows: [[String]] = []
      while let line = program.outputLine() {
        rows.append(line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
      }
      #expect(program.exitStatus() == 0, "\(program.errorLine() ?? "")")
      return Array(rows.dropFirst(2))
    }

    @Test(arguments: ["pylsp", "sourcekit-lsp"])
    func `the same letters are typed directly and through lastword, and the right names are offered`(
      server: String
    ) throws {
      let rows = try table(of: server)
      #expect(rows.map(\.first) == ["direct", "cancelling", "lastword"])
      let counts = rows.map { $0.dropFirst().prefix(4).compactMap { Int($0) } }
      #expect(counts.allSatisfy { $0.count == 4 && $0[0] > 0 && $0[0] == counts[0][0] })
      // Through the gateway the server can have been sent fewer, and computed fewer than that.
      #expect(counts.map { $0[1] <= $0[0] && $0[2] <= $0[1] } == [true, true, true])
      #expect(counts[0][1] == counts[0][0])
    }
  }
}
