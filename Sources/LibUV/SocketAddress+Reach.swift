import CLibUV
import Glibc

/// From where an address can be reached.
extension SocketAddress {
  /// Only from this machine: a Unix socket, `localhost`, or a loopback address.
  package var isLocal: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _) where host.lowercased() == "localhost": true
    case .tcp(let host, _): RawAddress.bytes(ofNumericHost: host).map(Self.isLoopback) ?? false
    }
  }

  /// Where somebody on this machine reaches what listens here: on loopback, if it listens everywhere.
  package var reachable: SocketAddress {
    guard case .tcp(let host, let port) = self, let bytes = RawAddress.bytes(ofNumericHost: host),
      bytes.allSatisfy({ $0 == 0 })
    else { return self }
    return .tcp(host: bytes.count == 4 ? "127.0.0.1" : "::1", port: port)
  }

  private static func isLoopback(_ bytes: [UInt8]) -> Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
    return isMapped ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }
}

extension RawAddress {
  /// The 4 or 16 bytes that a host given as a number stands for; nil if it is a name.
  fileprivate static func bytes(ofNumericHost host: String) -> [UInt8]? {
    var four = in_addr()
    if uv_inet_pton(AF_INET, host, &four) == 0 { return withUnsafeBytes(of: &four) { Array($0) } }
    var sixteen = in6_addr()
    if uv_inet_pton(AF_INET6, host, &sixteen) == 0 { return withUnsafeBytes(of: &sixteen) { Array($0) } }
    return nil
  }
}
