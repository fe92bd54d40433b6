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

  private static let attempts = 5

  /// Starts what cannot let the kernel choose its ports: those that are free are asked for, and others if they are not any
  /// more, which is when `start` gives nil.
  static func onFreePorts<Server>(
    _ count: Int, _ name: String, _ start: ([UInt16]) throws -> Server?
  ) throws -> Server {
    for _ in 0..<attempts {
      let ports = try (0..<count).map { _ in try ListeningSocket() }.map(\.port)
      if let server = try start(ports) { return server }
    }
    throw Failure(description: "\(name) does not start")
  }

  /// For `env`: proxies lie where only an administrator looks by default.
  static var search: String {
    "PATH=" + (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"
  }

  /// False: it has ended.
  static func isListening(_ program: RunningProgram, at address: String) throws -> Bool {
    try eventually("it listens") {
      guard program.isRunning else { return false }
      return (try? LineSocket(address)) == nil ? nil : true
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
