import Secrets
import TestSupport
import Testing

/// Signatures that the `openssl` command made, and those that nobody did.
@Suite struct SignatureTests {
  private func publicKey(of key: TestKey) -> PublicKey {
    let parts = key.parts
    return switch key.kind {
    case .ed25519: .ed25519(parts[0])
    case .p256, .p384: .p256(x: parts[0], y: parts[1])
    case .rsa: .rsa(modulus: parts[0], exponent: parts[1])
    }
  }

  @Test(arguments: [TestKey.Kind.ed25519, .p256, .rsa(bits: 2048), .rsa(bits: 3072)])
  func `a signature is its key's, of its bytes, and of nothing else`(_ kind: TestKey.Kind) throws {
    let (key, other) = (try TestKey(kind), try TestKey(kind))
    let verifier = try SignatureVerifier(publicKey(of: key))
    let signature = try key.sign("what was signed")
    #expect(verifier.isRight(signature, of: Array("what was signed".utf8)))
    #expect(!verifier.isRight(signature, of: Array("what was Signed".utf8)))
    #expect(!verifier.isRight(signature, of: []))
    #expect(!verifier.isRight(try other.sign("what was signed"), of: Array("what was signed".utf8)))
    for index in signature.indices {
      var forged = signature
      forged[index] ^= 1
      #expect(!verifier.isRight(forged, of: Array("what was signed".utf8)), "bit \(index * 8)")
    }
  }

  @Test(arguments: [TestKey.Kind.ed25519, .p256, .rsa(bits: 2048)])
  func `a signature that is shorter, longer, or nothing but one byte again and again is none`(
    _ kind: TestKey.Kind
  ) throws {
    let key = try TestKey(kind)
    let verifier = try SignatureVerifier(publicKey(of: key))
    let text = Array("text".utf8)
    let signature = try key.sign("text")
    for count in 0..<signature.count { #expect(!verifier.isRight(Array(signature.prefix(count)), of: text)) }
    #expect(!verifier.isRight(signature + [0], of: text) && !verifier.isRight([0] + signature, of: text))
    for byte: UInt8 in [0, 1, 255] {
      #expect(!verifier.isRight([UInt8](repeating: byte, count: signature.count), of: text))
    }
  }

  /// As a library once took them for right with any key.
  @Test func `of the two numbers of ES256 neither may be nothing`() throws {
    let key = try TestKey(.p256)
    let verifier = try SignatureVerifier(publicKey(of: key))
    let signature = try key.sign("text")
    let zeros = [UInt8](repeating: 0, count: 32)
    for forged in [zeros + signature.suffix(32), signature.prefix(32) + zeros, zeros + zeros] {
      #expect(!verifier.isRight(Array(forged), of: Array("text".utf8)))
    }
  }

  @Test func `a number of ES256 with zeros before it is right`() throws {
    let key = try TestKey(.p256)
    let verifier = try SignatureVerifier(publicKey(of: key))
    // Each of the two begins with a zero once in 256 signatures.
    for number in 0..<64 {
      let text = "text \(number)"
      #expect(verifier.isRight(try key.sign(text), of: Array(text.utf8)))
    }
  }

  @Test func `the second form of an ES256 signature does not count as DER`() throws {
    let key = try TestKey(.p256)
    let verifier = try SignatureVerifier(publicKey(of: key))
    let signature = try key.sign("text")
    let der: [UInt8] = [0x30, 0x44, 2, 32] + signature.prefix(32) + [2, 32] + signature.suffix(32)
    #expect(!verifier.isRight(der, of: Array("text".utf8)))
  }

  // MARK: Keys

  @Test func `a point that is not on P-256 is no key`() throws {
    let parts = try TestKey(.p256).parts
    var y = parts[1]
    y[31] ^= 1
    #expect(throws: KeyFault.unsound) { try SignatureVerifier(.p256(x: parts[0], y: y)) }
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(throws: KeyFault.unsound) { try SignatureVerifier(.p256(x: zeros, y: zeros)) }
    let ones = [UInt8](repeating: 255, count: 32)
    #expect(throws: KeyFault.unsound) { try SignatureVerifier(.p256(x: ones, y: ones)) }
  }

  @Test func `a key of another curve is none`() throws {
    let key = try TestKey(.p384)
    #expect(throws: KeyFault.length) { try SignatureVerifier(publicKey(of: key)) }
  }

  @Test(arguments: [0, 31, 33]) func `a key of another length is none`(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(throws: KeyFault.length) { try SignatureVerifier(.ed25519(bytes)) }
    #expect(throws: KeyFault.length) { try SignatureVerifier(.p256(x: bytes, y: bytes)) }
  }

  @Test func `an RSA key of fewer than 2048 bits is too weak`() throws {
    let key = try TestKey(.rsa(bits: 1024))
    #expect(throws: KeyFault.weak) { try SignatureVerifier(publicKey(of: key)) }
    // As long, and one bit less.
    var modulus = try TestKey(.rsa(bits: 2048)).parts[0]
    modulus[0] &= 0x7F
    #expect(throws: KeyFault.weak) { try SignatureVerifier(.rsa(modulus: modulus, exponent: [1, 0, 1])) }
  }

  @Test func `an RSA key that is out of its bounds is none`() throws {
    let modulus = try TestKey(.rsa(bits: 2048)).parts[0]
    let long = [UInt8](repeating: 255, count: 1025)
    let exponents: [[UInt8]] = [[], [0, 3], [UInt8](repeating: 1, count: 9)]
    for exponent in exponents {
      #expect(throws: KeyFault.length) { try SignatureVerifier(.rsa(modulus: modulus, exponent: exponent)) }
    }
    #expect(throws: KeyFault.length) { try SignatureVerifier(.rsa(modulus: [0] + modulus, exponent: [3])) }
    #expect(throws: KeyFault.length) { try SignatureVerifier(.rsa(modulus: long, exponent: [1, 0, 1])) }
    #expect(throws: KeyFault.length) { try SignatureVerifier(.rsa(modulus: [], exponent: [3])) }
  }

  @Test func `a modulus that is even is no key`() throws {
    var modulus = try TestKey(.rsa(bits: 2048)).parts[0]
    modulus[255] &= 0xFE
    #expect(throws: KeyFault.unsound) { try SignatureVerifier(.rsa(modulus: modulus, exponent: [1, 0, 1])) }
  }

  @Test func `an exponent that is even, or one, is no key`() throws {
    let modulus = try TestKey(.rsa(bits: 2048)).parts[0]
    for exponent: UInt8 in [1, 2, 4] {
      #expect(throws: KeyFault.unsound) {
        try SignatureVerifier(.rsa(modulus: modulus, exponent: [exponent]))
      }
    }
  }
}
