import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// The program of `examples/` that measures what the gateway changes for somebody who types.
  @Suite struct TypingSessionTests {
    private func table() throws -> [[String]] {
      let program = try RunningProgram(
        "/usr/bin/env",
        [
          "timeout", "\(LineSocket.watchdogSeconds)", "python3",
          Programs.repository + "/examples/typing-session.py", "--lastword", Programs.lastword,
          "--server", "sourcekit-lsp", "--rounds", "1", "--lines", "1",
        ])
      var rows: [[String]] = []
      while let line = program.outputLine() {
        rows.append(line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
      }
      #expect(program.exitStatus() == 0, "\(program.errorLine() ?? "")")
      return Array(rows.dropFirst(2))
    }

    @Test func `the same letters are typed directly and through lastword, and the right names are offered`()
      throws
    {
      let rows = try table()
      #expect(rows.map(\.first) == ["direct", "cancelling", "lastword"])
      for row in rows {
        let counts = row.dropFirst().prefix(3).compactMap { Int($0) }
        try #require(counts.count == 3)
        let (letters, sent, computed) = (counts[0], counts[1], counts[2])
        #expect(letters == "directory.appendingPathComponent(path).la".count)
        #expect(sent == letters || (row.first == "lastword" && sent < letters))
        #expect(computed == sent || (row.first != "direct" && computed < sent))
      }
    }
  }
}
