/// By what a connection is known: as long as that counts, it may stay.
package enum Credential: Hashable, Sendable {
  case token(TokenDigest)
  /// What an issuer signed; it counts until it ends, and as long as its key does.
  indirect case issued(IssuedIdentity)
  /// The user who connected to a Unix socket, as the kernel knows it.
  case user(UInt32)
  /// The names in a verified certificate; the first that is a principal's counts.
  case certificate([CertificateName])
}
