import Secrets

/// One key as its issuer publishes it (RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2).
struct JSONWebKey {
  let id: [UInt8]?
  /// It contains a private or shared key: its file must not be readable by others.
  let isSecret: Bool
  /// Nil: it is for something else.
  let parts: PublicKey?

  /// - Throws: of a key that is of ours, what is missing or malformed.
  init(_ members: JSONMembers) throws(TokenFault) {
    guard let kind = try members.string("kty") else { throw .claim }
    id = try members.string("kid")
    isSecret = members.has("d") || members.has("k")
    parts = try Self.isForSignatures(members) ? Self.parts(kind, members) : nil
  }

  private static func isForSignatures(_ members: JSONMembers) throws(TokenFault) -> Bool {
    if let use = try members.string("use"), use != Array("sig".utf8) { return false }
    guard let operations = try members.strings("key_ops") else { return true }
    return operations.contains(Array("verify".utf8))
  }

  private static func parts(_ kind: [UInt8], _ members: JSONMembers) throws(TokenFault) -> PublicKey? {
    let curve = try members.string("crv").map { String(decoding: $0, as: UTF8.self) }
    let algorithm = try members.string("alg").map { String(decoding: $0, as: UTF8.self) }
    let expected: SignatureAlgorithm
    switch (String(decoding: kind, as: UTF8.self), curve) {
    case ("OKP", "Ed25519"): expected = .edDSA
    case ("EC", "P-256"): expected = .es256
    case ("RSA", _): expected = .rs256
    default: return nil
    }
    guard algorithm == nil || algorithm == expected.rawValue else { return nil }
    switch expected {
    case .edDSA: return .ed25519(try bytes("x", members))
    case .es256: return .p256(x: try bytes("x", members), y: try bytes("y", members))
    case .rs256: return .rsa(modulus: try bytes("n", members), exponent: try bytes("e", members))
    }
  }

  private static func bytes(_ name: String, _ members: JSONMembers) throws(TokenFault) -> [UInt8] {
    guard let text = try members.string(name), let bytes = Base64URL.bytes(of: text[...]) else {
      throw .claim
    }
    return bytes
  }
}
