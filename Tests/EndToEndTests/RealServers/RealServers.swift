import Foundation
import TestSupport

/// The servers of others that `scripts/servers` installs, and the programs beside them.
enum RealServers {
  /// The Python that has them; nil where the tests of this directory do not run.
  static let python = ProcessInfo.processInfo.environment["LASTWORD_SERVERS"]

  static var isInstalled: Bool { python != nil }

  /// A command that was installed with them.
  static func installed(_ command: String) -> String {
    URL(fileURLWithPath: python!).deletingLastPathComponent().path + "/" + command
  }

  /// A program in `Tests/Servers`.
  static func ours(_ program: String) -> String { "\(Programs.repository)/Tests/Servers/\(program)" }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
