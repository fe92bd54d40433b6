#if TLS
import CLibSSL
#endif

/// Says of signatures whether they are those of one key, by OpenSSL.
///
/// It does not change, and OpenSSL may use a key in several threads at once.
@safe package final class SignatureVerifier: Sendable {
  package let key: PublicKey

  #if TLS
  private nonisolated(unsafe) let handle: OpaquePointer

  package init(_ key: PublicKey) throws(KeyFault) {
    if let fault = key.fault { throw fault }
    guard Digest.isAvailable else { throw .noLibrary }
    guard let handle = unsafe Self.handle(of: key) else { throw .unsound }
    self.key = key
    unsafe self.handle = handle
    // Its owner is there from here on, so that it is freed in any case.
    guard unsafe clibssl_is_sound(handle) == 1 else { throw .unsound }
  }

  deinit { unsafe EVP_PKEY_free(handle) }

  private static func handle(of key: PublicKey) -> OpaquePointer? {
    ERR_clear_error()
    switch key {
    case .ed25519(let bytes): return unsafe clibssl_make_key(CLIBSSL_ED25519, bytes, bytes.count)
    case .p256(let x, let y):
      let point = [4] + x + y
      return unsafe clibssl_make_key(CLIBSSL_P256, point, point.count)
    case .rsa(let modulus, let exponent):
      let (modulus, exponent) = (inOrderOfMachine(modulus), inOrderOfMachine(exponent))
      return unsafe clibssl_make_rsa_key(modulus, modulus.count, exponent, exponent.count)
    }
  }

  private static func inOrderOfMachine(_ number: [UInt8]) -> [UInt8] {
    1.littleEndian == 1 ? number.reversed() : number
  }

  /// - Parameter signature: as RFC 7518 and RFC 8037 have it; of ES256 two numbers of 32 bytes.
  package func isRight(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    ERR_clear_error()
    guard let signature = inFormOfLibrary(signature) else { return false }
    return unsafe clibssl_verify(
      handle, key.algorithm == .edDSA ? 0 : 1, signature, signature.count, bytes, bytes.count) == 1
  }

  private func inFormOfLibrary(_ signature: [UInt8]) -> [UInt8]? {
    guard case .p256 = key else { return signature }
    guard signature.count == 2 * PublicKey.coordinateBytes else { return nil }
    var der = [UInt8](repeating: 0, count: 72)
    let count = unsafe clibssl_ecdsa_der(signature, &der)
    return count > 0 ? Array(der.prefix(Int(count))) : nil
  }
  #else
  package init(_ key: PublicKey) throws(KeyFault) { throw .noLibrary }

  package func isRight(_ signature: [UInt8], of bytes: [UInt8]) -> Bool { false }
  #endif
}
