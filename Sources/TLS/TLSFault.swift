/// Why TLS cannot begin, or cannot go on.
package struct TLSFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// This program, or this machine, has no TLS.
    case absent
    /// A certificate, a key or another setting cannot be used.
    case settings
    /// What came first is no TLS.
    case notTLS
    /// The two did not agree on how to speak.
    case handshake
    /// The peer's certificate is missing, or not to be trusted.
    case untrusted
    /// The peer's bytes ended without its word that they do: anybody on the way can cut them off.
    case truncated
    /// A record was damaged, or did not belong there.
    case broken
    /// The peer makes us say more than it takes.
    case overfull
  }

  package let kind: Kind
  /// The fault in plain words, without any secret.
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
