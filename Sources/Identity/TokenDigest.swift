import Secrets

/// The digest kept of a token: its SHA-256 (FIPS 180-4), from which nobody finds the token again.
package struct TokenDigest: Sendable {
  package let bytes: [UInt8]

  /// Whether this build can make one of a token.
  package static var isBuilt: Bool { Digest.isAvailable }

  /// - Parameter token: as its client sends it. Nil in a build without OpenSSL.
  package init?(of token: [UInt8]) {
    guard let bytes = Digest.sha256(token) else { return nil }
    self.bytes = bytes
  }

  /// - Parameter bytes: 32 of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Digest.count else { return nil }
    self.bytes = bytes
  }

  /// - Parameter hexadecimal: 64 digits, of either case.
  package init?(hexadecimal: String) {
    guard let bytes = Hexadecimal.bytes(of: hexadecimal), bytes.count == Digest.count else { return nil }
    self.bytes = bytes
  }

  package var hexadecimal: String { Hexadecimal.text(of: bytes) }

  // MARK: As it is kept

  private static let prefix = "sha256:"
  package static let form = "\(prefix) and 64 hexadecimal digits, as lastword token prints them"

  /// - Parameter text: as `form` says.
  package init?(kept text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    self.init(hexadecimal: String(text.dropFirst(Self.prefix.count)))
  }

  package var keptText: String { Self.prefix + hexadecimal }
}

/// How long a comparison takes tells nothing of where two differ.
extension TokenDigest: Hashable {
  package static func == (one: TokenDigest, other: TokenDigest) -> Bool {
    isEqualInConstantTime(one.bytes, other.bytes)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
