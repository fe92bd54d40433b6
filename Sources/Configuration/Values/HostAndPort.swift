import Addresses
import TOML

/// The address in the variables `HOST` and `PORT`, by which platforms tell any program where to listen. Every other
/// source of an address wins over them.
struct HostAndPort {
  static let hostName = "HOST"
  static let portName = "PORT"
  static let origin = Origin.environment("\(hostName) and \(portName)")

  private let host: String
  private let port: String

  /// Nil unless both are set: many a shell has a `HOST` of its own.
  init?(in environment: [String: String]) {
    guard let host = environment[Self.hostName], let port = environment[Self.portName] else { return nil }
    self.host = host
    self.port = port
  }

  var complaints: [Complaint] {
    var complaints: [Complaint] = []
    if Self.address(host, "0") == nil {
      complaints.append(
        Complaint(
          .environment(Self.hostName), "must be a host's name or IP address, not \(Quoted.text(host))"))
    }
    if Self.address("localhost", port) == nil {
      complaints.append(
        Complaint(.environment(Self.portName), "must be 0 to 65_535, not \(Quoted.text(port))"))
    }
    return complaints
  }

  /// The override of the listeners' addresses; nil if there is a complaint.
  var override: Override? {
    Self.address(host, port).map {
      Override(target: .listen, texts: [$0.description], origin: Self.origin)
    }
  }

  private static func address(_ host: String, _ port: String) -> SocketAddress? {
    let isBareIPv6 = host.contains(":") && !host.hasPrefix("[")
    // With `tcp:` before it, a host may be called `tcp` or `unix`.
    return SocketAddress(parsing: "tcp:" + (isBareIPv6 ? "[\(host)]" : host) + ":" + port)
  }
}
