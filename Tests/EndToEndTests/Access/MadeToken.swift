import Foundation
import TestSupport
import Testing

/// A token that the command made, and the line of it for the configuration.
struct MadeToken {
  let token: String
  let kept: String
  /// What it is known by, without quotes.
  var digest: String { String(kept.split(separator: "\"")[1]) }

  init() throws {
    let made = try RunningProgram(Programs.lastword, ["token"])
    var lines: [String] = []
    while let line = made.outputLine() { lines.append(line.trimmingCharacters(in: .whitespaces)) }
    try #require(made.exitStatus() == 0 && lines.count == 6)
    (token, kept) = (lines[1], lines[3])
  }
}
