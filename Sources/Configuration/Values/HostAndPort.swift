import Addresses
import TOML

/// Where platforms tell any program to listen, by variables that are not lastword's alone: what else names an address
/// wins over them.
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

  /// In place of the listeners' own; nil if there is a complaint.
  var override: Override? {
    Self.address(host, port).map {
      Override(target: .listen, texts: [$0.description], origin: Self.origin)
    }
  }

  private static func address(_ host: String, _ port: String) -> SocketAddress? {
    let isBareIPv6 = host.contains(":") && !host.hasPrefix("[")
    // With the kind said, a host can be named like one.
    return SocketAddress(parsing: "tcp:" + (isBareIPv6 ? "[\(host)]" : host) + ":" + port)
  }
}
