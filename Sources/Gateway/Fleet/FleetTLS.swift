package import TLS

/// Certificates of a fleet's members, and the authorities that they trust. Each member is a server for the members that
/// ask it, and a client of those that it asks.
package struct FleetTLS {
  /// Both ask for a certificate, and check it.
  let server: TLSContext
  let client: TLSContext
  /// What the certificate of each member has to be for; nil: the host of its address.
  let serverName: String?

  package init(server: TLSContext, client: TLSContext, serverName: String?) {
    self.server = server
    self.client = client
    self.serverName = serverName
  }
}

/// Contexts do not change.
extension FleetTLS: @unchecked Sendable {}
