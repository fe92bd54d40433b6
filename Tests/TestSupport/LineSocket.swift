import Glibc
import Synchronization

/// A blocking socket that a test talks over, line by line. Every wait is bounded by a generous watchdog.
package class LineSocket {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// How long a read may take before the test fails instead of hanging.
  package static let watchdogSeconds = 60

  let descriptor: Int32
  /// What has come and was not asked for yet.
  var buffer: [UInt8] = []
  private var isOpen = true
  /// Whether the peer ended with a reset.
  package private(set) var wasReset = false

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: Self.watchdogSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Connects to `127.0.0.1:PORT` or `unix:PATH`.
  package convenience init(_ address: String) throws {
    if address.hasPrefix("unix:") {
      try self.init(unix: String(address.dropFirst(5)))
    } else {
      try self.init(port: UInt16(address.split(separator: ":").last!)!)
    }
  }

  private convenience init(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in.loopback(port: port)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(description: "connect to port \(port): errno \(errno)") }
    self.init(descriptor: descriptor)
  }

  private convenience init(unix path: String) throws { self.init(descriptor: try Self.connect(unix: path)) }

  /// A new descriptor that is connected to a Unix socket.
  package static func connect(unix path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw Failure(description: "connect to \(path): errno \(errno)") }
    return descriptor
  }

  deinit { close() }

  // MARK: Talking

  package func send(_ line: String) throws { try send(bytes: Array((line + "\n").utf8)) }

  package func send(bytes: [UInt8]) throws {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + offset, $0.count - offset, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "write: errno \(errno)") }
      offset += count
    }
  }

  /// The next line, without its end; nil once the peer has closed.
  package func receive() throws -> String? {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0a) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      searched = buffer.count
      guard try fill() else { return nil }
    }
  }

  /// The next line, which must come.
  package func expect() throws -> String {
    guard let line = try receive() else { throw Failure(description: "the peer closed the connection") }
    return line
  }

  /// Sends a request and gives its reply, which must be the next line.
  package func call(_ line: String) throws -> String {
    try send(line)
    return try expect()
  }

  /// Whether the peer has nothing more to say: only its answer to a ping comes.
  package func isInStep(_ canary: String = "canary") throws -> Bool {
    let id = "\"\(canary)\""
    return try call(#"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.ping"}"#)
      == #"{"jsonrpc":"2.0","id":\#(id),"result":null}"#
  }

  /// Waits for more; false at the end.
  func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0 && errno == ECONNRESET {
      wasReset = true
      return false
    }
    guard count >= 0 else { throw Failure(description: "nothing came: errno \(errno)") }
    buffer += chunk[..<count]
    return count > 0
  }

  /// Whether something came that was not read, the end included.
  var isReadable: Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, 0) > 0
  }

  // MARK: Ending

  /// Sends FIN; answers can still be read.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  /// Goes without a word, as a machine does that loses its power.
  /// - Returns: false where only those who may do everything can bring that about; then it is as it was.
  package func vanish() -> Bool {
    var yes: Int32 = 1
    let (level, repair) = (Int32(IPPROTO_TCP), Int32(19))
    guard setsockopt(descriptor, level, repair, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
      return false
    }
    close()
    return true
  }

  /// Closes with a reset, as a crash would.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}

/// A listening socket of a test: an upstream that does exactly what the test says.
package final class ListeningSocket {
  private let descriptor: Int32
  package let port: UInt16

  package init(port wanted: UInt16 = 0) throws {
    (descriptor, port) = try LoopbackPort.bound(wanted) {
      var yes: Int32 = 1
      setsockopt($0, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      var limit = timeval(tv_sec: LineSocket.watchdogSeconds, tv_usec: 0)
      setsockopt($0, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard listen(descriptor, 16) == 0 else { throw LineSocket.Failure(description: "listen: errno \(errno)") }
  }

  deinit { close(descriptor) }

  package var address: String { "tcp:127.0.0.1:\(port)" }

  /// Whether somebody has connected who was not accepted.
  package var hasNews: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  package func accept() throws -> LineSocket {
    let peer = Glibc.accept(descriptor, nil, nil)
    guard peer >= 0 else { throw LineSocket.Failure(description: "nobody connected: errno \(errno)") }
    return LineSocket(descriptor: peer)
  }
}

/// A port of 127.0.0.1 at which nobody listens, and which nobody else is given while this lives.
package final class ClosedPort {
  private let descriptor: Int32
  private let port: UInt16

  package init() throws {
    // Without SO_REUSEADDR the kernel gives the port to no other socket.
    (descriptor, port) = try LoopbackPort.bound(0) { _ in }
  }

  deinit { close(descriptor) }

  package var address: String { "tcp:127.0.0.1:\(port)" }
}

/// Ports of 127.0.0.1 that tests of this process had. None is given a second time: a gateway whose upstream has gone still
/// connects to its port, and would find another test's upstream there.
private enum LoopbackPort {
  private static let had = Mutex<Set<UInt16>>([])
  private static let mostAttempts = 100

  /// - Parameter wanted: 0: one that no test had.
  static func bound(_ wanted: UInt16, _ prepare: (Int32) -> Void) throws -> (descriptor: Int32, port: UInt16)
  {
    // Until then they are held, or the kernel might give them again.
    var refused: [Int32] = []
    defer { for descriptor in refused { close(descriptor) } }
    for _ in 0..<mostAttempts {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      prepare(descriptor)
      let port = try bind(descriptor, wanted)
      if had.withLock({ $0.insert(port).inserted }) || wanted != 0 { return (descriptor, port) }
      refused.append(descriptor)
    }
    throw LineSocket.Failure(description: "no port is left that no test had")
  }

  private static func bind(_ descriptor: Int32, _ wanted: UInt16) throws -> UInt16 {
    var address = sockaddr_in.loopback(port: wanted)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    guard status == 0 else {
      let fault = errno
      close(descriptor)
      throw LineSocket.Failure(description: "bind: errno \(fault)")
    }
    return UInt16(bigEndian: address.sin_port)
  }
}

extension sockaddr_in {
  static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
