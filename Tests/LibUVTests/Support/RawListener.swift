import Addresses
import Glibc
import LibUV

/// A blocking listener on loopback, without a loop; whoever made it closes it.
struct RawListener {
  let address: SocketAddress
  private let descriptor: Int32

  init(backlog: Int32) throws(UVError) {
    let descriptor = Self.newSocket()
    var place = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
        guard Glibc.bind(descriptor, pointer, length) == 0, Glibc.listen(descriptor, backlog) == 0 else {
          return -1
        }
        return getsockname(descriptor, pointer, &length)
      }
    }
    guard status == 0 else {
      let error = UVError(code: -errno)
      Glibc.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    address = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: place.sin_port))
  }

  /// Waits for a connection; negative: it failed.
  func accept() -> Int32 { Glibc.accept(descriptor, nil, nil) }

  func close() { Glibc.close(descriptor) }

  /// A new socket that is connected to a port of loopback.
  static func connected(to port: UInt16) throws(UVError) -> Int32 {
    let descriptor = newSocket()
    let place = loopback(port: port)
    let status = withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      let error = UVError(code: -errno)
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func newSocket() -> Int32 {
    Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return place
  }
}
