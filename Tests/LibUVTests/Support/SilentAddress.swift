import Addresses
import Glibc
import LibUV

/// An address of loopback that neither takes nor refuses a connection: the queue of its listener is full.
struct SilentAddress {
  let address: SocketAddress
  private let descriptors: [Int32]

  init() throws(UVError) {
    let listener = Self.socket()
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(listener, address, length) == 0, listen(listener, 0) == 0 else { return -1 }
        return getsockname(listener, address, &length)
      }
    }
    // There is room for one.
    let filler = Self.socket()
    let filled = withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, length) }
    }
    descriptors = [listener, filler]
    address = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: place.sin_port))
    guard status == 0, filled == 0 else {
      let error = UVError(code: -errno)
      close()
      throw error
    }
  }

  func close() { for descriptor in descriptors { Glibc.close(descriptor) } }

  private static func socket() -> Int32 {
    Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }
}
