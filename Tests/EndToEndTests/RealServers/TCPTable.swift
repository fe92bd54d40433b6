import Foundation

/// The TCP sockets of this machine, as the kernel lists them.
enum TCPTable {
  struct Entry {
    let localPort: UInt16
    let remotePort: UInt16
    let state: UInt8
    /// What has come and was not read yet.
    let unreadBytes: Int
    let inode: String
    /// Until the peer is asked whether it is still there; nil: that is not what the kernel waits for.
    let probeSeconds: Double?
  }

  private static let (probing, ticksPerSecond) = ("02", 100.0)

  private static let established: UInt8 = 0x01
  private static let peerHasClosed: UInt8 = 0x08
  private static let listening: UInt8 = 0x0a

  /// The server's side of the connections to a port whose request it has not read yet.
  static func unread(at port: UInt16) -> Int {
    count(at: port) { $0.state == established && $0.unreadBytes > 0 }
  }

  /// The server's side of the connections to a port that the client has closed, and the server not yet.
  static func closedByPeer(at port: UInt16) -> Int { count(at: port) { $0.state == peerHasClosed } }

  /// Nil while the process does not listen.
  static func listeningPort(of process: Int32) -> UInt16? {
    let directory = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let sockets = Set(
      names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)") })
    return entries().first { $0.state == listening && sockets.contains("socket:[\($0.inode)]") }?.localPort
  }

  /// Of the server's side of the connections to a port.
  static func probeSeconds(at port: UInt16) -> [Double?] {
    entries().filter { $0.localPort == port && $0.state == established }.map(\.probeSeconds)
  }

  /// Of the clients' side of the connections to a port.
  static func probeSeconds(to port: UInt16) -> [Double?] {
    entries().filter { $0.remotePort == port && $0.state == established }.map(\.probeSeconds)
  }

  private static func count(at port: UInt16, where holds: (Entry) -> Bool) -> Int {
    entries().count { $0.localPort == port && holds($0) }
  }

  private static func entries() -> [Entry] {
    let table = KernelFile.contents("/proc/net/tcp").map { String(decoding: $0, as: UTF8.self) }
    return (table ?? "").split(separator: "\n").dropFirst().compactMap { entry($0.split(separator: " ")) }
  }

  private static func entry(_ fields: [Substring]) -> Entry? {
    guard fields.count > 9, let local = port(fields[1]), let remote = port(fields[2]),
      let state = UInt8(fields[3], radix: 16),
      let unread = fields[4].split(separator: ":").last.flatMap({ Int($0, radix: 16) })
    else { return nil }
    return Entry(
      localPort: local, remotePort: remote, state: state, unreadBytes: unread, inode: String(fields[9]),
      probeSeconds: probeSeconds(fields[5]))
  }

  private static func probeSeconds(_ timer: Substring) -> Double? {
    let parts = timer.split(separator: ":")
    guard parts.count == 2, parts[0] == probing, let ticks = Int(parts[1], radix: 16) else { return nil }
    return Double(ticks) / ticksPerSecond
  }

  private static func port(_ address: Substring) -> UInt16? {
    address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
  }
}
