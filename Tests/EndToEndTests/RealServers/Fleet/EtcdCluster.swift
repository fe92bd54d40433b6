import Foundation
import TestSupport

/// Three running members of one etcd.
final class EtcdCluster {
  private let members: [(program: RunningProgram, address: String)]
  private let directory: TemporaryDirectory

  init() throws {
    (members, directory) = try RealServers.onFreePorts(6, "etcd") { ports in
      let directory = try TemporaryDirectory()
      let clients = ports.prefix(3).map { "127.0.0.1:\($0)" }
      let peers = ports.suffix(3).map { "http://127.0.0.1:\($0)" }
      let cluster = peers.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
      let members = try (0..<3).map { number in
        let program = try RunningProgram(
          "/usr/bin/env",
          [
            "etcd", "--name", "m\(number)", "--data-dir", "\(directory.path)/\(number)",
            "--listen-client-urls",
            "http://\(clients[number])", "--advertise-client-urls", "http://\(clients[number])",
            "--listen-peer-urls", peers[number], "--initial-advertise-peer-urls", peers[number],
            "--initial-cluster", cluster,
          ])
        return (program: program, address: clients[number])
      }
      return members.allSatisfy { EtcdServer.isReady($0.program) } ? (members, directory) : nil
    }
  }

  var addresses: [String] { members.map(\.address) }

  /// The one that the others follow; they agree on another.
  func killLeader() throws {
    let leader = try eventually("they agree on a leader") {
      try members.first { try $0.program.isRunning && Self.isLeader($0.address) }
    }
    leader.program.kill()
  }

  private static func isLeader(_ address: String) throws -> Bool {
    let socket = try LineSocket(address)
    let head = "POST /v3/maintenance/status HTTP/1.1\r\nHost: \(address)\r\nContent-Length: 2\r\n\r\n{}"
    try socket.send(bytes: Array(head.utf8))
    let content = try socket.expectAnswer().content
    let own = content.firstMatch(of: /"member_id":"([0-9]+)"/)?.1
    return own != nil && own == content.firstMatch(of: /"leader":"([0-9]+)"/)?.1
  }
}
