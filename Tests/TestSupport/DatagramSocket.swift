import Glibc

/// A socket of a test's own that datagrams come to, as a service manager has one.
package final class DatagramSocket {
  private let descriptor: Int32
  /// As `NOTIFY_SOCKET` names it.
  package let name: String

  /// - Parameter name: a path that is free, or an abstract name after `@`.
  package init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var limit = timeval(tv_sec: LineSocket.watchdogSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let status = withAddress { bind(descriptor, $0, $1) }
    guard status == 0 else { throw LineSocket.Failure(description: "bind to \(name): errno \(errno)") }
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a null byte, and is as long as the address says.
    let bytes = Array(name.utf8).map { $0 == UInt8(ascii: "@") ? 0 : $0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (name.hasPrefix("@") ? 0 : 1))
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  deinit { close(descriptor) }

  /// The next datagram.
  package func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw LineSocket.Failure(description: "no datagram came: errno \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Has so much come that there is no room for more; gives how many of `text` that took.
  package func fill(with text: String) throws -> Int {
    let mostDatagrams = 100_000
    var count = 0
    while count < mostDatagrams {
      // A sender may have no more than so much on its way; there is no room only if a new one has none.
      let sent = sendAsMany(of: text, most: mostDatagrams - count)
      if sent == 0 { return count }
      count += sent
    }
    throw LineSocket.Failure(description: "\(count) datagrams do not fill \(name)")
  }

  private func sendAsMany(of text: String, most: Int) -> Int {
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(sender) }
    let bytes = Array(text.utf8)
    var count = 0
    withAddress { address, size in
      while count < most, sendto(sender, bytes, bytes.count, Int32(MSG_DONTWAIT), address, size) >= 0 {
        count += 1
      }
    }
    return count
  }

  /// Whether there is one.
  package var hasNews: Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, 0) > 0
  }
}
