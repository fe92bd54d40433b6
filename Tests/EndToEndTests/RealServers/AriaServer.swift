import Foundation
import TestSupport

/// A running aria2c, whose JSON-RPC interface is spoken over HTTP.
final class AriaServer {
  let program: RunningProgram
  let port: UInt16
  private let directory: TemporaryDirectory

  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    (program, port) = try RealServers.onFreePorts(1, "aria2c") { ports in
      let program = try RunningProgram(
        "/usr/bin/env",
        [
          "aria2c", "--no-conf", "--enable-rpc", "--rpc-listen-all=false", "--rpc-listen-port=\(ports[0])",
          "--disable-ipv6", "--dir=\(directory.path)",
        ])
      return Self.isListening(program) ? (program, ports[0]) : nil
    }
  }

  private static func isListening(_ program: RunningProgram) -> Bool {
    while let line = program.outputLine() {
      if line.contains("listening on TCP port") { return true }
      if line.contains("failed to bind") { return false }
    }
    return false
  }

  var address: String { "http://127.0.0.1:\(port)/jsonrpc" }
}
