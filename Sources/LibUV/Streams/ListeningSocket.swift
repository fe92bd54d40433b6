import Addresses
import CLibUV
import Glibc

/// Owns a descriptor that connections wait at and, for a Unix-domain socket, its path.
struct ListeningSocket {
  let descriptor: Int32
  /// The address, with the port that the kernel chose.
  let address: SocketAddress
  private let inode: ino_t?

  /// Makes another socket at the same address. Of a TCP port's connections each socket gets some; at a Unix socket the
  /// first that accepts gets one.
  init(
    besides other: ListeningSocket, backlog: Int32, keepAlive: KeepAlive?, on loop: EventLoop
  ) throws(UVError) {
    switch other.address {
    case .tcp(let host, let port):
      let raw = try Self.resolve(host, port, on: loop)
      descriptor = try Self.open(raw.family) { descriptor throws(UVError) in
        try keepAlive?.apply(to: descriptor)
        try Self.share(descriptor)
        try Self.bind(descriptor, to: raw)
        try Self.listen(descriptor, backlog)
      }
    case .unix:
      descriptor = fcntl(other.descriptor, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { throw .last }
    }
    address = other.address
    inode = nil
  }

  /// - Parameter isShared: whether others may be made `besides` it.
  init(
    _ address: SocketAddress, backlog: Int32, mode: UInt32?, keepAlive: KeepAlive?, isShared: Bool,
    on loop: EventLoop
  ) throws(UVError) {
    switch address {
    case .tcp(let host, let port):
      let raw = try Self.resolve(host, port, on: loop)
      var boundPort = port
      if isShared { try Self.requireFree(raw) }
      descriptor = try Self.open(raw.family) { descriptor throws(UVError) in
        try keepAlive?.apply(to: descriptor)
        if isShared { try Self.share(descriptor) }
        try Self.bind(descriptor, to: raw)
        try Self.listen(descriptor, backlog)
        boundPort = try RawAddress.boundPort(of: descriptor)
      }
      self.address = .tcp(host: host, port: boundPort)
      inode = nil
    case .unix(let path):
      let raw = try RawAddress(unixPath: path)
      descriptor = try Self.open(AF_UNIX) { descriptor throws(UVError) in
        // Set on the socket before `bind` makes the file: so the file never has more permissions than these.
        if let mode, fchmod(descriptor, mode) != 0 { throw .last }
        try Self.bind(descriptor, to: raw, replacingStale: path)
        if let mode, chmod(path, mode) != 0 { throw .last }
        try Self.listen(descriptor, backlog)
      }
      self.address = address
      inode = Self.socketInode(at: path)
    }
  }

  /// Closes the socket, and removes its path, unless the path belongs to another socket by now.
  func close() {
    if case .unix(let path) = address, let inode, Self.socketInode(at: path) == inode { unlink(path) }
    Glibc.close(descriptor)
  }

  private static func resolve(
    _ host: String, _ port: UInt16, on loop: EventLoop
  ) throws(UVError) -> RawAddress {
    if let numeric = RawAddress(numericHost: host, port: port) { return numeric }
    return try NameLookup.now(host: host, port: port, on: loop)[0]
  }

  /// A new socket that is closed again when `prepare` fails.
  private static func open(
    _ family: Int32, _ prepare: (Int32) throws(UVError) -> Void
  ) throws(UVError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw .last }
    do throws(UVError) {
      try prepare(descriptor)
      return descriptor
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Checks that nobody listens on the port: a shared port is shared with every process of the same user.
  private static func requireFree(_ address: RawAddress) throws(UVError) {
    let probe = try open(address.family) { descriptor throws(UVError) in
      try bind(descriptor, to: address)
      try listen(descriptor, 1)
    }
    Glibc.close(probe)
  }

  private static func share(_ descriptor: Int32) throws(UVError) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) == 0 else { throw .last }
  }

  private static func bind(_ descriptor: Int32, to address: RawAddress) throws(UVError) {
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.withPointer({ Glibc.bind(descriptor, $0, address.length) }) == 0 else { throw .last }
  }

  private static func bind(
    _ descriptor: Int32, to address: RawAddress, replacingStale path: String
  ) throws(UVError) {
    do throws(UVError) {
      try bind(descriptor, to: address)
    } catch {
      guard error.code == UV_EADDRINUSE.rawValue else { throw error }
      // A file that is no socket stays, while another process may end: so the error is another one.
      if isOtherFile(path) { throw .fileExists }
      guard try isStale(path, address) else { throw error }
      unlink(path)
      try bind(descriptor, to: address)
    }
  }

  private static func listen(_ descriptor: Int32, _ backlog: Int32) throws(UVError) {
    guard Glibc.listen(descriptor, backlog) == 0 else { throw .last }
  }

  /// Whether the path is a socket at which nobody listens, left by a process that could not remove it; never true of
  /// another file.
  private static func isStale(_ path: String, _ address: RawAddress) throws(UVError) -> Bool {
    guard socketInode(at: path) != nil else { return false }
    var refused = false
    let probe = try open(AF_UNIX) { descriptor throws(UVError) in
      let status = address.withPointer { Glibc.connect(descriptor, $0, address.length) }
      refused = status != 0 && errno == ECONNREFUSED
    }
    Glibc.close(probe)
    return refused
  }

  private static func isOtherFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
  }

  private static func socketInode(at path: String) -> ino_t? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return status.st_ino
  }
}
