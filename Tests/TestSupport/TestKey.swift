import Foundation

/// A key that a test makes with the `openssl` command, and signs tokens with (RFC 7515). Its file is gone when it is.
package final class TestKey {
  package enum Kind: Hashable, Sendable {
    case ed25519, p256, p384
    case rsa(bits: Int)

    /// The algorithm that goes with it.
    package var algorithm: String {
      switch self {
      case .ed25519: "EdDSA"
      case .p256: "ES256"
      case .p384: "ES384"
      case .rsa: "RS256"
      }
    }
  }

  package let kind: Kind
  package let id: String
  private let directory: TemporaryDirectory
  /// Its public half, as `SubjectPublicKeyInfo` (RFC 5280) has it.
  package let publicBytes: [UInt8]

  private var file: String { directory.path + "/key.pem" }

  package init(_ kind: Kind, id: String = "1") throws {
    self.kind = kind
    self.id = id
    directory = try TemporaryDirectory()
    let file = directory.path + "/key.pem"
    let published = directory.path + "/key.der"
    try TestAuthority.openssl(["genpkey", "-out", file] + Self.words(kind))
    try TestAuthority.openssl(["pkey", "-in", file, "-pubout", "-outform", "DER", "-out", published])
    publicBytes = try Self.bytes(of: published)
  }

  private static func words(_ kind: Kind) -> [String] {
    switch kind {
    case .ed25519: ["-algorithm", "ed25519"]
    case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
    case .rsa(let bits): ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"]
    }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  // MARK: What it gives out

  /// The numbers of a public key, each as many bytes as it has: `x`, and `y` or, of RSA, `n` and `e`.
  package var parts: [[UInt8]] {
    switch kind {
    case .ed25519: [Array(publicBytes.suffix(32))]
    case .p256: [Array(publicBytes.suffix(64).prefix(32)), Array(publicBytes.suffix(32))]
    case .p384: [Array(publicBytes.suffix(96).prefix(48)), Array(publicBytes.suffix(48))]
    // Behind the modulus there is the exponent, 65537, as an INTEGER of three bytes.
    case .rsa(let bits): [Array(publicBytes.dropLast(5).suffix(bits / 8)), [1, 0, 1]]
    }
  }

  /// The key as RFC 7517 has it.
  /// - Parameter more: members behind the others, with a comma before them.
  package func jwk(_ more: String = "") -> String {
    let numbers = parts.map(Self.text)
    let members: String
    switch kind {
    case .ed25519: members = #""kty":"OKP","crv":"Ed25519","x":"\#(numbers[0])""#
    case .p256: members = #""kty":"EC","crv":"P-256","x":"\#(numbers[0])","y":"\#(numbers[1])""#
    case .p384: members = #""kty":"EC","crv":"P-384","x":"\#(numbers[0])","y":"\#(numbers[1])""#
    case .rsa: members = #""kty":"RSA","n":"\#(numbers[0])","e":"\#(numbers[1])""#
    }
    return "{\(members),\"kid\":\"\(id)\"\(more)}"
  }

  /// A file's text with these keys.
  package static func set(_ keys: [TestKey]) -> String {
    "{\"keys\":[\(keys.map { $0.jwk() }.joined(separator: ","))]}"
  }

  // MARK: Signing

  /// The signature as RFC 7518 and RFC 8037 have it.
  package func sign(_ text: String) throws -> [UInt8] {
    let (input, output) = (directory.path + "/input", directory.path + "/output")
    try Data(text.utf8).write(to: URL(fileURLWithPath: input))
    let words =
      kind == .ed25519
      ? ["pkeyutl", "-sign", "-inkey", file, "-rawin", "-in", input, "-out", output]
      : ["dgst", "-sha256", "-sign", file, "-out", output, input]
    try TestAuthority.openssl(words)
    let signature = try Self.bytes(of: output)
    switch kind {
    case .ed25519, .rsa: return signature
    case .p256: return Self.numbers(ofDER: signature, bytes: 32)
    case .p384: return Self.numbers(ofDER: signature, bytes: 48)
    }
  }

  /// The two numbers of an ECDSA signature, one behind the other.
  private static func numbers(ofDER der: [UInt8], bytes count: Int) -> [UInt8] {
    var rest = der.dropFirst(der[1] < 0x80 ? 2 : 3)
    var numbers: [UInt8] = []
    for _ in 0..<2 {
      let length = Int(rest[rest.startIndex + 1])
      let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
      numbers += [UInt8](repeating: 0, count: count - number.count) + number
      rest = rest.dropFirst(2 + length)
    }
    return numbers
  }

  /// A token as RFC 7515, section 7.1, has it.
  /// - Parameter header: its JSON text; that of the key, if nil.
  package func token(_ claims: String, header: String? = nil) throws -> String {
    let header = header ?? #"{"alg":"\#(kind.algorithm)","kid":"\#(id)"}"#
    let signed = Self.text(Array(header.utf8)) + "." + Self.text(Array(claims.utf8))
    return signed + "." + Self.text(try sign(signed))
  }

  /// Base64url without padding.
  package static func text(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// HMAC with SHA-256 (RFC 2104), for tokens that take a public key for a secret.
  package func hmac(_ text: String, secret: [UInt8]) throws -> [UInt8] {
    let (input, output) = (directory.path + "/input", directory.path + "/output")
    try Data(text.utf8).write(to: URL(fileURLWithPath: input))
    let digits = secret.map { String(format: "%02x", $0) }.joined()
    try TestAuthority.openssl([
      "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(digits)", "-binary", "-out", output, input,
    ])
    return try Self.bytes(of: output)
  }
}
