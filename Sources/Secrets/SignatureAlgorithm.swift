/// How a token is signed: by a key's own algorithm, and no other (RFC 7518, section 3.1; RFC 8037, section 3.1).
package enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
  case edDSA = "EdDSA"
  case es256 = "ES256"
  case rs256 = "RS256"
}
