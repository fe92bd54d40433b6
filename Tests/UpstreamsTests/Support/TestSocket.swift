import Glibc

/// A blocking socket on loopback, by its number; whoever made it closes it.
struct TestSocket: Hashable, Sendable {
  struct Failure: Error { let code = errno }

  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// One on a port that the kernel chooses.
  static func listening(backlog: Int32) throws -> TestSocket {
    let socket = TestSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    guard socket.descriptor >= 0 else { throw Failure() }
    let status = unsafe withAddress(port: 0) { unsafe bind(socket.descriptor, $0, $1) }
    guard status == 0, listen(socket.descriptor, backlog) == 0 else {
      socket.close()
      throw Failure()
    }
    return socket
  }

  /// The kernel finishes the connection while the listener has room for it.
  static func connected(to port: UInt16) throws -> TestSocket {
    let socket = TestSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    guard unsafe withAddress(port: port, { unsafe connect(socket.descriptor, $0, $1) }) == 0 else {
      throw Failure()
    }
    return socket
  }

  var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The kernel fills it in, no further than the length says.
    unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(descriptor, $0, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Nil once the listener is shut down.
  func accept() -> TestSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted < 0 ? nil : TestSocket(accepted)
  }

  /// Empty once the peer has closed, or the connection broke.
  func receive() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = unsafe max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }

  /// Returns whether all of it was taken.
  func send(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Whoever waits for it, on any thread, waits no longer.
  func shutdown() { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  func close() { Glibc.close(descriptor) }

  private static func withAddress(
    port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

extension TestSocket {
  /// Whether a child process would get one of this process's connections to a port; nil if there is none.
  static func isInherited(connectedTo port: UInt16) -> Bool? {
    let found = (0..<Int32(getdtablesize())).filter { peerPort(of: $0) == port }
    return found.isEmpty ? nil : found.contains { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
  }

  /// After how many seconds of silence the peer of one of this process's connections to a port is asked whether it is
  /// still there; nil: it never is.
  static func probeSeconds(connectedTo port: UInt16) -> Int32? {
    guard let found = (0..<Int32(getdtablesize())).first(where: { peerPort(of: $0) == port }),
      option(found, SOL_SOCKET, SO_KEEPALIVE) == 1
    else { return nil }
    return option(found, Int32(IPPROTO_TCP), TCP_KEEPIDLE)
  }

  private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    // The kernel fills it in, no further than the length says.
    _ = unsafe getsockopt(descriptor, level, name, &value, &length)
    return value
  }

  private static func peerPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The kernel fills it in, no further than the length says.
    let status = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getpeername(descriptor, $0, &length)
      }
    }
    guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return UInt16(bigEndian: address.sin_port)
  }
}
