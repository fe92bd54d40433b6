import Foundation

/// Where the programs are that the tests run.
package enum Programs {
  /// The binary under test: `LASTWORD_BINARY`, or the one that was built with the tests.
  package static var lastword: String {
    if let path = ProcessInfo.processInfo.environment["LASTWORD_BINARY"], !path.isEmpty {
      return URL(fileURLWithPath: path).path
    }
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    for _ in 0..<6 {
      directory.deleteLastPathComponent()
      let candidate = directory.appendingPathComponent("lastword").path
      if FileManager.default.isExecutableFile(atPath: candidate) && !directory.hasDirectoryPathSources {
        return candidate
      }
    }
    return repository + "/.build/debug/lastword"
  }

  package static let python = "/usr/bin/env"

  /// The top of the repository, from where this very file lies in it.
  package static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}

extension URL {
  fileprivate var hasDirectoryPathSources: Bool {
    FileManager.default.fileExists(atPath: appendingPathComponent("Package.swift").path)
  }
}

/// The upstream handler of `examples/`, as its own process.
package final class RunningUpstream {
  package let program: RunningProgram
  /// As `--upstream` takes it.
  package let address: String

  package init(_ arguments: [String] = []) throws {
    let path = Programs.repository + "/examples/upstreams/python/upstream.py"
    program = try RunningProgram(Programs.python, ["python3", path] + arguments)
    guard let line = program.outputLine() else {
      throw LineSocket.Failure(description: "the upstream did not start: \(program.errorLine() ?? "")")
    }
    address = line
  }
}
