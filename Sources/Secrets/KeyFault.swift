/// Why a key cannot be used.
package enum KeyFault: Error, CustomStringConvertible {
  /// It is longer or shorter than such a key is.
  case length
  /// An RSA key that can be broken.
  case weak
  /// OpenSSL says so: a point is not on the curve, a modulus is no product of primes.
  case unsound
  /// There is no OpenSSL.
  case noLibrary

  package var description: String {
    switch self {
    case .length: "its length is wrong"
    case .weak: "RSA keys have at least \(PublicKey.modulusBits.lowerBound) bits"
    case .unsound: "it is no key that can be used"
    case .noLibrary: "OpenSSL is missing"
    }
  }
}
