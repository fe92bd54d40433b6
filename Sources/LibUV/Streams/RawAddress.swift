import CLibUV
import Glibc

/// An address in the form the kernel takes.
struct RawAddress {
  /// One less than `sun_path` holds, for the NUL at its end; libuv would cut a longer path silently.
  static let unixPathLimitBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private var storage = sockaddr_storage()
  private(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

  var family: Int32 { Int32(storage.ss_family) }

  /// A host given as a number, which needs no looking up.
  init?(numericHost host: String, port: UInt16) {
    let status = withStorage { uv_ip4_addr(host, Int32(port), $0) }
    if status == 0 {
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
    } else {
      guard Self.hasKnownZone(host), withStorage({ uv_ip6_addr(host, Int32(port), $0) }) == 0 else {
        return nil
      }
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
  }

  /// libuv knows zones by name only, and takes any other for none. Those with a number are for the system's look-up.
  private static func hasKnownZone(_ host: String) -> Bool {
    guard let start = host.firstIndex(of: "%") else { return true }
    let zone = host[host.index(after: start)...]
    return if_nametoindex(String(zone)) > 0
  }

  init(unixPath path: String) throws(UVError) {
    let bytes = path.utf8
    guard bytes.count <= Self.unixPathLimitBytes else { throw UVError(code: UV_ENAMETOOLONG.rawValue) }
    withStorage { (address: UnsafeMutablePointer<sockaddr_un>) in
      address.pointee.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.pointee.sun_path) { $0.copyBytes(from: bytes) }
    }
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
  }

  /// A Unix-domain socket in the abstract namespace, which is no file.
  init(abstractName name: String) throws(UVError) {
    let bytes = name.utf8
    guard bytes.count <= Self.unixPathLimitBytes else { throw UVError(code: UV_ENAMETOOLONG.rawValue) }
    // A null byte says that it is no path, and the length where the name ends.
    withStorage { (address: UnsafeMutablePointer<sockaddr_un>) in
      address.pointee.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.pointee.sun_path) { path in
        UnsafeMutableRawBufferPointer(rebasing: path[1...]).copyBytes(from: bytes)
      }
    }
    length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + bytes.count)
  }

  /// One result of a lookup, with the port, which the lookup did not know.
  init?(_ info: addrinfo, port: UInt16) {
    guard let address = info.ai_addr, [AF_INET, AF_INET6].contains(info.ai_family) else { return nil }
    length = info.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    }
    // Both families keep the port at the same place.
    withStorage { (address: UnsafeMutablePointer<sockaddr_in>) in address.pointee.sin_port = port.bigEndian }
  }

  /// The port the kernel bound `descriptor` to.
  static func boundPort(of descriptor: Int32) throws(UVError) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      getsockname(descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard status == 0 else { throw .last }
    return withUnsafeBytes(of: &storage) {
      UInt16(bigEndian: $0.loadUnaligned(as: sockaddr_in.self).sin_port)
    }
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: storage) { body(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)) }
  }

  @discardableResult
  private mutating func withStorage<Address, Result>(
    _ body: (UnsafeMutablePointer<Address>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) {
      body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: Address.self))
    }
  }
}
