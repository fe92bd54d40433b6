import Secrets

/// A token as it came (RFC 7515, section 7.1; RFC 7519): nothing of it is to be believed before its signature is
/// checked.
///
/// Of its header counts which key it says, by `kid`; what it says of keys itself (`jku`, `jwk`, `x5u`, `x5c`) does not.
struct SignedToken {
  /// The kinds that say who somebody is: of none, and of RFC 9068; in small letters.
  private static let kinds = ["jwt", "at+jwt"].map { Array($0.utf8) }

  let algorithm: [UInt8]
  let keyID: [UInt8]?
  let claims: JSONMembers
  let signature: [UInt8]
  /// What the signature is of.
  let signed: [UInt8]

  /// Whether it is written as such a token is: nothing else is taken apart.
  static func looksLikeOne(_ token: [UInt8]) -> Bool {
    token.reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) } == 2
  }

  init(_ token: [UInt8]) throws(TokenFault) {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.bytes(of: parts[0]),
      let claims = Base64URL.bytes(of: parts[1]), let signature = Base64URL.bytes(of: parts[2])
    else { throw .form }
    let members = try JSONMembers(header)
    guard !members.has("crit") else { throw .extensions }
    if let kind = try members.string("typ"), !Self.kinds.contains(Self.plain(kind)) { throw .kind }
    guard let algorithm = try members.string("alg") else { throw .claim }
    self.algorithm = algorithm
    keyID = try members.string("kid")
    self.claims = try JSONMembers(claims)
    self.signature = signature
    signed = Array(token[..<parts[1].endIndex])
  }

  /// A media type's name, whose first part may be left out, and whose case does not count (RFC 7515, section 4.1.9).
  private static func plain(_ kind: [UInt8]) -> [UInt8] {
    let small = kind.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    let prefix = Array("application/".utf8)
    return small.starts(with: prefix) ? Array(small.dropFirst(prefix.count)) : small
  }
}
