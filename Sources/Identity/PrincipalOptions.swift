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

/// What may be said of one, wherever it is said.
extension PrincipalOptions {
  package static let mostPrincipals = 1_024
  package static let nameBytes = 64
  package static let mostTokens = 16
  package static let mostUsers = 64
  package static let mostMethods = 256

  /// Whether a principal, or a namespace, can be called so.
  package static func isName(_ text: String) -> Bool {
    (1...nameBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || "-._@".utf8.contains(byte)
      }
  }

  package static let nameForm = "1 to \(nameBytes) letters, digits, '-', '_', '.' or '@'"
}
