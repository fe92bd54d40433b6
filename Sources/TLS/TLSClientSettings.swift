/// What a client's side of TLS is made of.
package struct TLSClientSettings: Sendable {
  /// PEM: who vouches for servers. Nil: whom the system trusts.
  package var ca: [UInt8]?
  /// The certificate for a server that asks for one.
  package var identity: TLSIdentity?
  package var minimumVersion = TLSVersion.v1_2

  package init() {}
}
