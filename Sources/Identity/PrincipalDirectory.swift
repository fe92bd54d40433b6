/// Who may come, as the configuration has it at the moment.
package struct PrincipalDirectory: Sendable {
  /// By number; those that the configuration does not have any more keep theirs.
  private var principals: [PrincipalOptions?] = [nil]
  private var namespaceOfNumber: [Int] = [0]
  private var numbers: [String: Int] = [:]
  private var namespaces: [String: Int] = [:]
  private var users: [UInt32: Int] = [:]
  private var certificates: [CertificateName: Int] = [:]
  private var tokens: [(digest: TokenDigest, number: Int)] = []

  package init(_ principals: [PrincipalOptions] = []) { load(principals) }

  /// From now on these may come, and no others.
  package mutating func load(_ options: [PrincipalOptions]) {
    for number in principals.indices { principals[number] = nil }
    users = [:]
    certificates = [:]
    tokens = []
    for principal in options { add(principal) }
  }

  private mutating func add(_ options: PrincipalOptions) {
    let number = number(of: options.name)
    principals[number] = options
    let name = options.namespace ?? options.name
    let namespace = namespaces[name] ?? namespaces.count + 1
    namespaces[name] = namespace
    namespaceOfNumber[number] = namespace
    for user in options.users { users[user] = number }
    for name in options.certificates { certificates[name] = number }
    tokens += options.tokens.map { ($0, number) }
  }

  private mutating func number(of name: String) -> Int {
    if let known = numbers[name] { return known }
    let number = principals.count
    principals.append(nil)
    namespaceOfNumber.append(0)
    numbers[name] = number
    return number
  }

  /// Whose credential that is. Looks at all tokens, so that how long it takes tells nothing of them.
  package func find(_ credential: Credential) -> Principal? {
    switch credential {
    case .user(let user): return users[user].map { principal($0) }
    case .certificate(let names):
      return names.lazy.compactMap { certificates[$0] }.first.map { principal($0) }
    case .token(let digest):
      var found: Int?
      for token in tokens where token.digest == digest { found = token.number }
      return found.map { principal($0) }
    }
  }

  private func principal(_ number: Int) -> Principal {
    Principal(number: number, namespace: namespaceOfNumber[number])
  }

  /// What is known of one; nil of those who are nobody in particular, or not there any more.
  package func options(of principal: Principal) -> PrincipalOptions? { options(ofNumber: principal.number) }

  package func options(ofNumber number: Int) -> PrincipalOptions? {
    principals.indices.contains(number) ? principals[number] : nil
  }
}
