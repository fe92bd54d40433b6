package import Secrets

/// The keys of one issuer that count (RFC 7517, section 5), from a file that its operator trusts.
///
/// Keys of other kinds, for other uses and other algorithms are passed over: issuers publish those, too.
package struct JSONWebKeySet: Sendable {
  /// Of those that count.
  package static let mostKeys = 64

  private var keys: [(id: [UInt8]?, verifier: SignatureVerifier)] = []

  /// No key: nobody's token counts.
  package init() {}

  package init(_ text: [UInt8]) throws(KeySetFault) {
    for (index, members) in try Self.members(of: text).enumerated() {
      guard let key = try Self.attempt(index, { () throws(TokenFault) in try JSONWebKey(members) }) else {
        continue
      }
      guard !key.isSecret else { throw KeySetFault("key \(index + 1) is secret, and nobody else's") }
      guard let parts = key.parts else { continue }
      try add(parts, key.id, index)
    }
    guard !keys.isEmpty else { throw KeySetFault("none of its keys is for EdDSA, ES256 or RS256 signatures") }
  }

  private static func members(of text: [UInt8]) throws(KeySetFault) -> [JSONMembers] {
    do throws(TokenFault) {
      guard let keys = try JSONMembers(text).objects("keys") else { throw .form }
      return keys
    } catch {
      let reason =
        error == .repeatedMember ? "it has a member twice" : "it is no JSON object with an array 'keys'"
      throw KeySetFault(reason)
    }
  }

  private static func attempt(
    _ index: Int, _ read: () throws(TokenFault) -> JSONWebKey?
  ) throws(KeySetFault) -> JSONWebKey? {
    do throws(TokenFault) {
      return try read()
    } catch {
      throw KeySetFault("key \(index + 1) has a member that is missing or malformed")
    }
  }

  private mutating func add(_ parts: PublicKey, _ id: [UInt8]?, _ index: Int) throws(KeySetFault) {
    guard keys.count < Self.mostKeys else { throw KeySetFault("it has more than \(Self.mostKeys) keys") }
    guard !keys.contains(where: { $0.id == id }) else {
      throw KeySetFault("key \(index + 1) has the 'kid' of another one, or none, as another one")
    }
    do throws(KeyFault) {
      keys.append((id, try SignatureVerifier(parts)))
    } catch {
      throw KeySetFault("key \(index + 1) cannot be used: \(error)")
    }
  }

  // MARK: Looking up

  /// The key that a token names. One that names none is from the only key there is.
  func key(_ id: [UInt8]?) -> SignatureVerifier? {
    guard let id else { return keys.count == 1 ? keys[0].verifier : nil }
    return keys.first { $0.id == id }?.verifier
  }

  package func contains(_ key: PublicKey) -> Bool { keys.contains { $0.verifier.key == key } }
}

/// What is wrong with a file of keys.
package struct KeySetFault: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
