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

  /// Whether who connects to this on this machine reaches what listens at the other. Port 0 is another one each time.
  package func reaches(_ listener: SocketAddress) -> Bool {
    guard case .tcp(let host, let port) = self, case .tcp(let other, let otherPort) = listener else {
      return self == listener
    }
    guard port == otherPort, port > 0 else { return false }
    let listensEverywhere = listener.reachable != listener
    return host == other || (listensEverywhere && isLocal) || (Self.isUsual(host) && Self.isUsual(other))
  }

  /// Whether not both can be listened on. Port 0 is another one each time.
  package func collides(with other: SocketAddress) -> Bool {
    switch (self, other) {
    case (.unix(let path), .unix(let another)): return Self.plain(path) == Self.plain(another)
    case (.tcp(let host, let port), .tcp(let another, let otherPort)):
      guard port == otherPort, port > 0 else { return false }
      return host == another || isEverywhere(of: another) || other.isEverywhere(of: host)
    default: return false
    }
  }

  /// Whether it listens everywhere, and a host's address is of the same kind.
  private func isEverywhere(of host: String) -> Bool {
    guard reachable != self, let own = self.host.flatMap(NumericHost.bytes) else { return false }
    return NumericHost.bytes(of: host)?.count == own.count
  }

  /// A path without steps that lead nowhere: `./a`, `a//b` and `a/./b`.
  private static func plain(_ path: String) -> String {
    let steps = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/" + steps : steps
  }

  private static func isUsual(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
  }

  private static func isLoopback(_ bytes: [UInt8]) -> Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
    return isMapped ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }
}
