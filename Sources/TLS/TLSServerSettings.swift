/// What a server's side of TLS is made of.
package struct TLSServerSettings: Sendable {
  /// At least one. Which one a client gets is decided by the name that it asks for; without a match it is the first.
  package var identities: [TLSIdentity]
  /// PEM: who vouches for clients. Nil: they are not asked for a certificate.
  package var clientCA: [UInt8]?
  /// A client without a certificate is refused.
  package var requiresClientCertificate = false
  package var minimumVersion = TLSVersion.v1_2
  /// The application protocols that clients may name (ALPN, RFC 7301), the preferred first; each of 1 to 255 bytes. A
  /// client that names only others is refused; one that names none is served.
  package var applicationProtocols: [String] = []

  package init(_ identities: [TLSIdentity]) { self.identities = identities }
}
