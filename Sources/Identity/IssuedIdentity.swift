package import Secrets

/// Who a signed token says somebody is, once all of it was checked.
package struct IssuedIdentity: Hashable, Sendable {
  /// A name that an issuer gives has so many characters at most, of ASCII, and visible ones: as a `sub` of OpenID.
  package static let mostCharacters = 255

  package let terms: IssuerOptions.Terms
  /// The key that signed it.
  package let key: PublicKey
  /// As the issuer calls it.
  package let subject: String
  /// As the issuer calls it; nil: its own.
  package let namespace: String?
  /// Its `exp`: seconds since 1970.
  package let endSeconds: Int64

  package init(
    terms: IssuerOptions.Terms, key: PublicKey, subject: String, namespace: String?, endSeconds: Int64
  ) {
    self.terms = terms
    self.key = key
    self.subject = subject
    self.namespace = namespace
    self.endSeconds = endSeconds
  }

  package var name: String { "\(terms.name)/\(subject)" }
  var namespaceName: String { "\(terms.name)/\(namespace ?? subject)" }
}

extension IssuerOptions {
  /// Who a token says somebody is.
  /// - Parameter now: milliseconds since 1970.
  func identity(_ token: SignedToken, atUnixMilliseconds now: Int64) throws(TokenFault) -> IssuedIdentity {
    guard let key = keys.key(token.keyID) else { throw .key }
    guard token.algorithm == Array(key.key.algorithm.rawValue.utf8) else { throw .algorithm }
    guard key.isRight(token.signature, of: token.signed) else { throw .signature }
    return try identity(token.claims, signedBy: key.key, atUnixMilliseconds: now)
  }

  /// The same of claims whose signature was right, or of which it does not matter.
  package func identity(
    ofClaims text: [UInt8], signedBy key: PublicKey, atUnixMilliseconds now: Int64
  ) throws(TokenFault) -> IssuedIdentity {
    try identity(try JSONMembers(text), signedBy: key, atUnixMilliseconds: now)
  }

  private func identity(
    _ claims: JSONMembers, signedBy key: PublicKey, atUnixMilliseconds now: Int64
  ) throws(TokenFault) -> IssuedIdentity {
    guard let audiences = try claims.strings("aud") else { throw .claim }
    guard terms.audiences.contains(where: { audiences.contains(Array($0.utf8)) }) else { throw .audience }
    let end = try checkTimes(of: claims, at: now)
    return IssuedIdentity(
      terms: terms, key: key, subject: try Self.name(terms.principalClaim, claims),
      namespace: try terms.namespaceClaim.map { name throws(TokenFault) in try Self.name(name, claims) },
      endSeconds: end)
  }

  /// Returns its end, in seconds since 1970.
  private func checkTimes(of claims: JSONMembers, at now: Int64) throws(TokenFault) -> Int64 {
    guard let end = try claims.seconds("exp")?.whole else { throw .claim }
    guard now < endMilliseconds(end) else { throw .expired }
    if let start = try claims.seconds("nbf") {
      // What begins within a second has not begun before it is over.
      let begin = (start.whole + (start.hasFraction ? 1 : 0)) * 1_000
      guard now >= begin - Int64(leewayMilliseconds) else { throw .notYetValid }
    }
    return end
  }

  /// When a token with this `exp` ends, in milliseconds since 1970.
  func endMilliseconds(_ seconds: Int64) -> Int64 { seconds * 1_000 + Int64(leewayMilliseconds) }

  private static func name(_ claim: String, _ claims: JSONMembers) throws(TokenFault) -> String {
    guard let text = try claims.string(claim), (1...IssuedIdentity.mostCharacters).contains(text.count),
      text.allSatisfy({ (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) })
    else { throw .claim }
    return String(decoding: text, as: UTF8.self)
  }
}
