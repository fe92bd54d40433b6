/// Where to listen or connect: a host and port, or the path of a Unix-domain socket.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// Understands `127.0.0.1:5278`, `[::1]:0`, `localhost:80`, `tcp:HOST:PORT` and `unix:PATH`.
  package init?(parsing text: String) {
    guard !text.utf8.contains(0) else { return nil }
    if text.hasPrefix("unix:") {
      self.init(path: text.dropFirst("unix:".count))
    } else if text.hasPrefix("tcp:") {
      self.init(hostAndPort: text.dropFirst("tcp:".count))
    } else {
      self.init(hostAndPort: text[...])
    }
  }

  /// What the kernel takes of the path of a Unix socket, in bytes.
  package static let pathLimitBytes = 107

  /// Nil: it is a socket of this machine.
  package var host: String? { if case .tcp(let host, _) = self { host } else { nil } }

  /// The shortest form that parses to the same address.
  package var description: String {
    switch self {
    case .tcp(let host, let port) where host.contains(":"): "[\(host)]:\(port)"
    case .tcp("unix", let port): "tcp:unix:\(port)"
    case .tcp("tcp", let port): "tcp:tcp:\(port)"
    case .tcp(let host, let port): "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  private init?(path: Substring) {
    guard !path.isEmpty else { return nil }
    self = .unix(path: String(path))
  }

  private init?(hostAndPort text: Substring) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    guard let port = Self.port(text[text.index(after: colon)...]) else { return nil }
    guard let host = Self.host(text[..<colon]) else { return nil }
    self = .tcp(host: host, port: port)
  }

  private static func port(_ digits: Substring) -> UInt16? {
    // `UInt16.init` alone would take "+80" too.
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt16(digits)
  }

  private static func host(_ text: Substring) -> String? {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
    if text.first == "[" && text.last == "]" {
      let inner = String(text.dropFirst().dropLast())
      return NumericHost.isIPv6(inner) ? inner : nil
    }
    guard !text.isEmpty, !text.contains(where: { "[]:/".contains($0) }) else { return nil }
    return String(text)
  }
}
