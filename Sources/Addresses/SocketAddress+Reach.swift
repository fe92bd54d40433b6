/// From where an address can be reached.
extension SocketAddress {
  /// Only from this machine: a Unix socket, `localhost`, or a loopback address.
  package var isLocal: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _) where host.lowercased() == "localhost": true
    case .tcp(let host, _): NumericHost.bytes(of: host).map(Self.isLoopback) ?? false
    }
  }

  /// Where somebody on this machine reaches what listens here: on loopback, if it listens everywhere.
  package var reachable: SocketAddress {
    guard case .tcp(let host, let port) = self, let bytes = NumericHost.bytes(of: host),
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
