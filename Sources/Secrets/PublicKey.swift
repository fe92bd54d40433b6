/// The public half of a key, as its owner gives it out.
package enum PublicKey: Hashable, Sendable {
  /// Ed25519 (RFC 8032): 32 bytes.
  case ed25519([UInt8])
  /// A point of P-256 (RFC 7518, section 6.2.1): two numbers of 32 bytes, the highest first.
  case p256(x: [UInt8], y: [UInt8])
  /// RSA (RFC 7518, section 6.3.1): two numbers, the highest byte first, without zeros before it.
  case rsa(modulus: [UInt8], exponent: [UInt8])

  /// Of a number, in bytes.
  package static let coordinateBytes = 32
  /// Of a modulus: what is shorter can be broken, and what is longer takes too long to check.
  package static let modulusBits = 2_048...8_192
  /// Of an exponent: longer ones are nobody's.
  package static let exponentBytes = 8

  package var algorithm: SignatureAlgorithm {
    switch self {
    case .ed25519: .edDSA
    case .p256: .es256
    case .rsa: .rs256
    }
  }

  /// What is wrong with its form; nil: nothing. Whether it is a key at all is OpenSSL's to say.
  package var fault: KeyFault? {
    switch self {
    case .ed25519(let bytes): return bytes.count == Self.coordinateBytes ? nil : .length
    case .p256(let x, let y):
      return x.count == Self.coordinateBytes && y.count == Self.coordinateBytes ? nil : .length
    case .rsa(let modulus, let exponent):
      guard let first = modulus.first, first != 0, let lead = exponent.first, lead != 0 else {
        return .length
      }
      let bits = modulus.count * 8 - first.leadingZeroBitCount
      if bits < Self.modulusBits.lowerBound { return .weak }
      return bits > Self.modulusBits.upperBound || exponent.count > Self.exponentBytes ? .length : nil
    }
  }
}
