import Foundation
import TestSupport

/// A running aria2c, whose JSON-RPC interface is spoken over HTTP.
final class AriaServer {
  private static let attempts = 5

  let program: RunningProgram
  let port: UInt16
  private let directory: TemporaryDirectory

  /// It cannot let the kernel choose a port: one that is free is asked for, and another if it is not any more.
  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    for _ in 0..<Self.attempts {
      let port = try ListeningSocket().port
      let program = try RunningProgram(
        "/usr/bin/env",
        [
          "aria2c", "--no-conf", "--enable-rpc", "--rpc-listen-all=false", "--rpc-listen-port=\(port)",
          "--disable-ipv6", "--dir=\(directory.path)",
        ])
      if Self.isListening(program) {
        (self.program, self.port) = (program, port)
        return
      }
    }
    throw RealServers.Failure(description: "aria2c finds no port")
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
