import Foundation
import TestSupport

/// What leads to one TCP port, and can be cut: then bytes are taken and go nowhere, as where a network loses packets.
final class Cable {
  private let program: RunningProgram
  private let directory: TemporaryDirectory
  /// Where it begins, and where it leads.
  let address: String
  let end: String

  /// - Parameter place: where it leads; nil: to a port that nobody has yet.
  init(to place: String? = nil) throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    (program, address, end) = try RealServers.onFreePorts(2, "haproxy") { ports in
      let end = place ?? "127.0.0.1:\(ports[1])"
      let path = directory.path + "/cable.conf"
      let text = """
        defaults
          mode tcp
          timeout connect 60s
          timeout client 1h
          timeout server 1h
        listen cable
          bind 127.0.0.1:\(ports[0])
          server end \(end)

        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let program = try RunningProgram("/usr/bin/env", [RealServers.search, "haproxy", "-db", "-f", path])
      let address = "127.0.0.1:\(ports[0])"
      return try RealServers.isListening(program, at: address)
        ? (program, address, end) : nil
    }
  }

  func cut() { kill(program.identifier, SIGSTOP) }
  func mend() { kill(program.identifier, SIGCONT) }

  deinit { mend() }
}
