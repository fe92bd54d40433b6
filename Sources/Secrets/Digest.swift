#if TLS
import CLibSSL
#endif

/// What stands for a secret where the secret itself is not kept.
package enum Digest {
  /// The bytes of one digest.
  package static let count = 32

  /// SHA-256 (FIPS 180-4) of `bytes`: 32 bytes; nil without the package trait `TLS`, or if OpenSSL refuses.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    #if TLS
    return unsafe digest(of: bytes, EVP_sha256(), count: count)
    #else
    return nil
    #endif
  }

  /// SHA-1 (FIPS 180-4) of `bytes`: 20 bytes; nil as with the other. It stands for no secret: WebSocket's handshake
  /// asks for it.
  package static func sha1(_ bytes: [UInt8]) -> [UInt8]? {
    #if TLS
    return unsafe digest(of: bytes, EVP_sha1(), count: 20)
    #else
    return nil
    #endif
  }

  /// HMAC (RFC 2104) of `bytes` with SHA-256: 32 bytes; nil as with the digests.
  package static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
    #if TLS
    var code = [UInt8](repeating: 0, count: count)
    var length: UInt32 = 0
    let made = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, &length)
    return unsafe made != nil && Int(length) == count ? code : nil
    #else
    return nil
    #endif
  }

  #if TLS
  private static func digest(of bytes: [UInt8], _ kind: OpaquePointer?, count: Int) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: count)
    var length: UInt32 = 0
    let isDone = unsafe EVP_Digest(bytes, bytes.count, &digest, &length, kind, nil) == 1
    return isDone && Int(length) == count ? digest : nil
  }
  #endif

  /// Whether this program can make digests: a packaged one looks for OpenSSL when it needs it.
  package static let isAvailable = sha256([]) != nil
}
