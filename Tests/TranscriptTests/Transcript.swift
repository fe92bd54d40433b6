import Foundation
import TestSupport

/// A conversation as `proto/README.md` describes its form: who sends what, and what must come back.
struct Transcript: CustomStringConvertible, Sendable {
  enum Line: Sendable {
    case sent(connection: Int, text: String)
    case received(connection: Int, text: String)
  }

  struct Malformed: Error { let line: String }

  let name: String
  private(set) var lines: [Line] = []

  var description: String { name }

  init(file: URL) throws {
    name = file.deletingPathExtension().lastPathComponent
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("//") { continue }
      lines.append(try Self.parse(String(line)))
    }
  }

  /// `>> text` and `<< text` are connection 1's; `>>2 text` is another's.
  private static func parse(_ line: String) throws -> Line {
    let marker = line.prefix(2)
    let rest = line.dropFirst(2)
    guard let space = rest.firstIndex(of: " ") else { throw Malformed(line: line) }
    let number = rest[..<space]
    let text = String(rest[rest.index(after: space)...])
    guard let connection = number.isEmpty ? 1 : Int(number) else { throw Malformed(line: line) }
    switch marker {
    case ">>": return .sent(connection: connection, text: text)
    case "<<": return .received(connection: connection, text: text)
    default: throw Malformed(line: line)
    }
  }

  static func all() throws -> [Transcript] {
    let directory = URL(fileURLWithPath: Programs.repository + "/proto/transcripts")
    return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
      .sorted { $0.path < $1.path }
      .map(Transcript.init(file:))
  }
}
