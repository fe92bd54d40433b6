/// An issuer of trusted signed tokens (RFC 7519), and the rules of its principals that no `[[principal]]` names.
package struct IssuerOptions: Sendable {
  /// What its tokens have to say, and how they are read. A client that came by other terms has to come again.
  package struct Terms: Hashable, Sendable {
    /// Its principals are called by it and `/`, which is in no other name: nobody else's can be called so.
    package var name: String
    /// Their `iss`.
    package var issuer: String
    /// One of them is in their `aud`.
    package var audiences: [String]
    package var principalClaim = "sub"
    /// Nil: each principal has its own namespace.
    package var namespaceClaim: String?

    package init(name: String, issuer: String, audiences: [String]) {
      self.name = name
      self.issuer = issuer
      self.audiences = audiences
    }
  }

  package var terms: Terms
  package var keys = JSONWebKeySet()
  /// By so much its clock may be wrong.
  package var leewayMilliseconds = 60_000
  package var rules = Rules()
  package var quotas = Quotas()

  package init(name: String, issuer: String, audiences: [String]) {
    terms = Terms(name: name, issuer: issuer, audiences: audiences)
  }
}
