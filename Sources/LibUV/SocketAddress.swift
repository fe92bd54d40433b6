import CLibUV

/// Where to listen or connect.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// The bytes of a path that the kernel takes, its end mark not counted.
  package static let pathLimitBytes = 107

  /// Reads `HOST:PORT`, `tcp:HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.
  package init?(parsing text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty, path.utf8.count <= Self.pathLimitBytes, !path.utf8.contains(0) else { return nil }
      self = .unix(path: path)
      return
    }
    let text = text.hasPrefix("tcp:") ? text.dropFirst(4) : text[...]
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
    self = .tcp(host: String(host), port: port)
  }

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

extension sockaddr_storage {
  /// The address that a numeric host names, without asking any resolver.
  init?(numericHost host: String, port: UInt16) {
    self.init()
    let isIPv4 = withUnsafeMutablePointer(to: &self) { storage in
      storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { uv_ip4_addr(host, Int32(port), $0) == 0 }
    }
    if isIPv4 { return }
    let isIPv6 = withUnsafeMutablePointer(to: &self) { storage in
      storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { uv_ip6_addr(host, Int32(port), $0) == 0 }
    }
    guard isIPv6 else { return nil }
  }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: self) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }

  /// What the kernel says an address is.
  var socketAddress: SocketAddress {
    var name = [CChar](repeating: 0, count: 64)
    var storage = self
    let isIPv6 = Int32(ss_family) == AF_INET6
    let port = withUnsafeMutablePointer(to: &storage) { storage in
      if isIPv6 {
        storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          uv_ip6_name($0, &name, name.count)
          return UInt16(bigEndian: $0.pointee.sin6_port)
        }
      } else {
        storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          uv_ip4_name($0, &name, name.count)
          return UInt16(bigEndian: $0.pointee.sin_port)
        }
      }
    }
    let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return .tcp(host: String(decoding: host, as: UTF8.self), port: port)
  }
}
