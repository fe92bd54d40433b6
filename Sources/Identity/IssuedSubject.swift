/// Somebody as an issuer calls it, whom the configuration names.
package struct IssuedSubject: Hashable, Sendable {
  /// The issuer's name in the configuration.
  package let issuer: String
  package let subject: String

  package init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}
