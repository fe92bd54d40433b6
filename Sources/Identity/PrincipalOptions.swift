/// One who may come: its name, how it is known, and what it may do.
package struct PrincipalOptions: Hashable, Sendable {
  package var name: String
  /// Those of the same namespace share keys; its own name, if nil.
  package var namespace: String?
  package var tokens: [TokenDigest] = []
  /// Users who are it where they come over a Unix socket.
  package var users: [UInt32] = []
  /// What its certificates say, where a listener verifies them.
  package var certificates: [CertificateName] = []
  /// Who it is to issuers of signed tokens.
  package var subjects: [IssuedSubject] = []
  package var rules = Rules()
  package var quotas = Quotas()

  package init(name: String) { self.name = name }
}
