/// The principals of the configuration, and those that came by an issuer's token and stand in no configuration.
package struct PrincipalDirectory: Sendable {
  /// By number; those that the configuration does not have any more keep theirs.
  var principals: [PrincipalOptions?] = [nil]
  private var namespaceOfNumber: [Int] = [0]
  private var numbers: [String: Int] = [:]
  private var namespaces: [String: Int] = [:]
  private var users: [UInt32: Int] = [:]
  private var certificates: [CertificateName: Int] = [:]
  private var tokens: [TokenDigest: Int] = [:]
  private var subjects: [IssuedSubject: Int] = [:]
  private(set) var issuers: [IssuerOptions] = []
  /// Whom no principal of the configuration names.
  var issued = IssuedPrincipals()
  /// By number: what namespaces are called. That of whom only an issuer knows gets another name once it is another's.
  var namespaceNames = [""]

  package init(_ principals: [PrincipalOptions] = [], issuers: [IssuerOptions] = []) {
    load(principals, issuers: issuers)
  }

  /// From now on these may come, and those whom the issuers know, and no others.
  package mutating func load(_ options: [PrincipalOptions], issuers: [IssuerOptions] = []) {
    for number in principals.indices { principals[number] = nil }
    users = [:]
    certificates = [:]
    tokens = [:]
    subjects = [:]
    self.issuers = issuers
    for principal in options { add(principal) }
    renewIssued()
  }

  private mutating func add(_ options: PrincipalOptions) {
    let number = number(of: options.name)
    principals[number] = options
    namespaceOfNumber[number] = namespace(of: options.namespace ?? options.name)
    for user in options.users { users[user] = number }
    for name in options.certificates { certificates[name] = number }
    for subject in options.subjects { subjects[subject] = number }
    for token in options.tokens { tokens[token] = number }
  }

  private mutating func number(of name: String) -> Int {
    if let known = numbers[name] { return known }
    let number = newNumber()
    numbers[name] = number
    return number
  }

  private mutating func namespace(of name: String) -> Int {
    if let known = namespaces[name] { return known }
    let number = newNamespace()
    namespaces[name] = number
    namespaceNames[number] = name
    return number
  }

  /// Nobody has had it.
  mutating func newNumber() -> Int {
    principals.append(nil)
    namespaceOfNumber.append(0)
    return principals.count - 1
  }

  /// Nobody has had it; it has no name yet.
  mutating func newNamespace() -> Int {
    namespaceNames.append("")
    return namespaceNames.count - 1
  }

  /// The principal with this credential.
  ///
  /// How long it takes to look for a token's digest may tell where that is, and how many are near it, but nothing about
  /// any token: a client that does not know one can choose no bytes of a digest, as it sends the token and not the digest,
  /// and where a digest is depends on the process' own secret besides. The one that is found is compared in constant time.
  package func find(_ credential: Credential) -> Principal? {
    switch credential {
    case .user(let user): return users[user].map { principal($0) }
    case .certificate(let names):
      return names.lazy.compactMap { certificates[$0] }.first.map { principal($0) }
    case .token(let digest): return tokens[digest].map { principal($0) }
    case .issued(let identity):
      guard counts(identity) else { return nil }
      return named(identity) ?? issued.find(identity)
    }
  }

  /// The principal of the configuration that an issuer's subject is.
  func named(_ identity: IssuedIdentity) -> Principal? {
    subjects[IssuedSubject(issuer: identity.terms.name, subject: identity.subject)].map { principal($0) }
  }

  private func principal(_ number: Int) -> Principal {
    Principal(number: number, namespace: namespaceOfNumber[number])
  }

  /// A principal that came before, with the namespace that it has now; nil: it is not there any more.
  package func current(_ known: Principal) -> Principal? {
    guard options(of: known) != nil else { return nil }
    // Whom only an issuer knows has the namespace that its token named.
    return namespaceOfNumber[known.number] > 0 ? principal(known.number) : known
  }

  /// What the namespace of a principal that is there is called: alike in all processes that read the same file.
  package func namespaceName(of principal: Principal) -> String {
    namespaceNames[Int(principal.namespace)]
  }

  /// A principal's options; nil for anonymous clients, and for principals that are not there any more.
  package func options(of principal: Principal) -> PrincipalOptions? { options(ofNumber: principal.number) }

  package func options(ofNumber number: Int) -> PrincipalOptions? {
    principals.indices.contains(number) ? principals[number] : nil
  }
}
