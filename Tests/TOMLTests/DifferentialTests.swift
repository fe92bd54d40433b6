import Foundation
import TOML
import TestSupport
import Testing

/// Python's reader of TOML and this one refuse the same texts, and read the same in all others.
///
/// `LASTWORD_TEXTS` says how many, `LASTWORD_FIRST_SEED` which.
@Suite(.enabled(if: Judge.isThere)) struct DifferentialTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test func `random texts mean what Python takes them for`() throws {
    let samples = try Self.samples()
    let first = Self.number("LASTWORD_FIRST_SEED") ?? 1
    let texts = (0..<(Self.number("LASTWORD_TEXTS") ?? 10_000)).map { index in
      var random = RandomText(seed: UInt64(first + index))
      return random.text(samples: samples)
    }
    let verdicts = try Judge.verdicts(texts)
    #expect(verdicts.count == texts.count)
    // Neither a judge that refuses everything nor texts that are all wrong say anything.
    #expect(
      verdicts.count { !$0.isEmpty } > texts.count / 5 && verdicts.count(where: \.isEmpty) > texts.count / 5)
    for (index, (text, verdict)) in zip(texts, verdicts).enumerated() where !Self.isBetween(text, verdict) {
      let own = (try? said(text)) ?? ""
      #expect(
        own == verdict,
        "LASTWORD_FIRST_SEED=\(first + index) LASTWORD_TEXTS=1: \(String(decoding: text, as: UTF8.self))")
      if own != verdict { return }
    }
  }

  @Test func `the examples mean what Python takes them for`() throws {
    let samples = try Self.samples()
    for (text, verdict) in zip(samples, try Judge.verdicts(samples)) { #expect(try said(text) == verdict) }
  }

  /// Whether the two may differ: Python's integers have no end, its strings have NUL, its days no leap second and no
  /// year 0, and it takes a byte order mark for a key.
  private static func isBetween(_ text: [UInt8], _ verdict: String) -> Bool {
    let words = String(decoding: text, as: UTF8.self)
    return verdict.contains(/i-?[0-9]{19}/) && !verdict.contains(/i-?9223372036854775807,/)
      || words.contains("\\u0000") || words.contains("\\U00000000") || words.contains(":60")
      || words.contains("0000-") || text.starts(with: [0xef, 0xbb, 0xbf])
  }

  /// The configurations of the repository.
  private static func samples() throws -> [[UInt8]] {
    let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("examples")
    let paths = ["lastword.toml", "compose/lastword.toml", "recipes/mcp/lastword.toml"]
    return try paths.map { Array(try Data(contentsOf: examples.appendingPathComponent($0))) }
  }
}

/// Asks Python.
private enum Judge {
  static let isThere = run(["-c", "import tomllib"]) != nil

  static func verdicts(_ texts: [[UInt8]]) throws -> [String] {
    let directory = try TemporaryDirectory()
    let file = URL(fileURLWithPath: directory.path + "/texts")
    try Data(
      texts.flatMap { text in (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text }
    ).write(to: file)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "judge.py")
    return try #require(run([script.path, file.path]))
  }

  /// The lines of its output; nil if it fails.
  private static func run(_ arguments: [String]) -> [String]? {
    guard let program = try? RunningProgram("/usr/bin/env", ["python3"] + arguments) else { return nil }
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    return program.exitStatus() == 0 ? lines : nil
  }
}
