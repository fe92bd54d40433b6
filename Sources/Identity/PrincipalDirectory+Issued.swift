/// Tokens that issuers have signed, and whom they are for.
extension PrincipalDirectory {
  /// Whether any token can be an issuer's.
  package var hasIssuers: Bool { !issuers.isEmpty }

  /// Whether an issuer can have signed it at all.
  package func mayBeIssued(_ token: [UInt8]) -> Bool { hasIssuers && SignedToken.looksLikeOne(token) }

  /// The identity in a token, whose principal may be new.
  /// - Parameter now: milliseconds since 1970; nil: the time is not known, and no token counts.
  package func identity(
    of token: [UInt8], atUnixMilliseconds now: Int64?
  ) throws(TokenFault) -> IssuedIdentity {
    guard hasIssuers else { throw .issuer }
    guard SignedToken.looksLikeOne(token) else { throw .form }
    guard let now else { throw .noClock }
    let token = try SignedToken(token)
    guard let from = try token.claims.string("iss") else { throw .claim }
    guard let issuer = issuers.first(where: { from == Array($0.terms.issuer.utf8) }) else { throw .issuer }
    return try issuer.identity(token, atUnixMilliseconds: now)
  }

  /// Whether a token that counted still does, but for its time: its issuer is the same, and has its key.
  func counts(_ identity: IssuedIdentity) -> Bool {
    guard let issuer = issuer(of: identity) else { return false }
    return issuer.terms == identity.terms && issuer.keys.contains(identity.key)
  }

  private func issuer(of identity: IssuedIdentity) -> IssuerOptions? {
    issuers.first { $0.terms.name == identity.terms.name }
  }

  /// When it ends, in milliseconds since 1970.
  package func endMilliseconds(_ identity: IssuedIdentity) -> Int64? {
    issuer(of: identity)?.endMilliseconds(identity.endSeconds)
  }

  // MARK: Their numbers

  package func isFull(limit: Int) -> Bool { issued.count >= limit }

  /// Whether somebody would be known, if there were not as many as there may be.
  package func hasNoRoom(for identity: IssuedIdentity, limit: Int) -> Bool {
    isFull(limit: limit) && issuer(of: identity) != nil && find(.issued(identity)) == nil
  }

  /// Gives a new principal its number and namespace; nil: there are as many as there may be.
  /// - Parameter limit: of principals known by an issuer only, and of their namespaces.
  package mutating func enter(_ identity: IssuedIdentity, limit: Int) -> Principal? {
    if let known = find(.issued(identity)) { return known }
    // Another member vouches for it, though we may not have that key yet.
    if let named = named(identity) { return named }
    guard !isFull(limit: limit), let issuer = issuer(of: identity) else { return nil }
    let known = issued.knows(identity)
    let number = known.number ?? issued.nextNumber ?? newNumber()
    let namespace = known.namespace ?? issued.nextNamespace ?? newNamespace()
    issued.enter(identity, number: number, namespace: namespace)
    namespaceNames[namespace] = identity.namespaceName
    principals[number] = Self.options(identity.name, issuer)
    return issued.find(identity)
  }

  private static func options(_ name: String, _ issuer: IssuerOptions) -> PrincipalOptions {
    var options = PrincipalOptions(name: name)
    options.rules = issuer.rules
    options.quotas = issuer.quotas
    return options
  }

  /// Their issuers' rules may be others.
  mutating func renewIssued() {
    var renewed: [(number: Int, options: PrincipalOptions?)] = []
    issued.forEach { number, name, issuerName in
      let issuer = issuers.first { $0.terms.name == issuerName }
      renewed.append((number, issuer.map { Self.options(name, $0) }))
    }
    for (number, options) in renewed { principals[number] = options }
  }

  /// Forgets principals that only an issuer knows and that nothing refers to. Returns their numbers, which others will
  /// get.
  /// - Parameter present: the principals of connected clients.
  /// - Parameter busy: the numbers of principals for whom something still counts.
  /// - Parameter namespaces: those of keys that are in use.
  package mutating func forgetIssued(
    but present: [Principal], busy: Set<Int>, namespaces: Set<Int>
  ) -> [Int] {
    let used = namespaces.union(present.map { Int($0.namespace) })
    let gone = issued.forget(butNumbers: busy.union(present.map(\.number)), butNamespaces: used)
    for number in gone { principals[number] = nil }
    return gone
  }
}
