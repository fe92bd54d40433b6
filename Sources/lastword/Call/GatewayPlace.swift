import Addresses
import ArgumentParser

/// A gateway's address, and whether connections to it use TLS.
struct GatewayPlace: Hashable, CustomStringConvertible {
  let address: SocketAddress
  var isSecure = false

  var description: String { isSecure ? "tls:\(address)" : "\(address)" }
}

extension GatewayPlace: ExpressibleByArgument {
  private static let scheme = "tls:"
  static let forms = "HOST:PORT, tls:HOST:PORT or unix:PATH"

  init?(argument: String) {
    isSecure = argument.hasPrefix(Self.scheme)
    let address =
      isSecure
      ? SocketAddress(parsing: "tcp:" + argument.dropFirst(Self.scheme.count))
      : SocketAddress(argument: argument)
    guard let address else { return nil }
    self.address = address
  }

  var defaultValueDescription: String { description }
}
