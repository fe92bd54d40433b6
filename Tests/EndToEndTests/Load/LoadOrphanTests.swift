import Foundation
import TestSupport
import Testing

/// What `lastword load` started does not outlive it, however it ends.
@Suite struct LoadOrphanTests {
  @Test(arguments: [SIGKILL, SIGTERM, SIGINT])
  func `the gateway and the upstream end with the load that started them`(signal: Int32) throws {
    let load = try RunningProgram(
      Programs.lastword, ["load", "--seconds", "600", "--connections", "2", "--rate", "100"])
    // Something is measured: both are there.
    _ = load.errorLine()
    let servers = try children(of: load.identifier)
    #expect(servers.count == 2)
    load.signal(signal)
    #expect(load.exitStatus() != nil)
    for server in servers {
      let isGone: Bool = try eventually("server \(server) ends") { isRunning(server) ? nil : true }
      #expect(isGone)
    }
  }

  private func children(of parent: Int32) throws -> [Int32] {
    let list = try text(of: "/proc/\(parent)/task/\(parent)/children")
    return list.split(separator: " ").compactMap { Int32($0) }
  }

  /// One that has ended may still be waiting for somebody to take note.
  private func isRunning(_ process: Int32) -> Bool {
    guard let status = try? text(of: "/proc/\(process)/stat") else { return false }
    let state = status.split(separator: ")").last?.split(separator: " ").first
    return state != "Z" && state != "X"
  }

  private func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
