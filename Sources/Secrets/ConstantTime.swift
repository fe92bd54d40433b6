#if TLS
import CLibSSL
#endif

/// Whether both are the same, in a time that tells nothing but their lengths.
package func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  guard one.count == other.count else { return false }
  #if TLS
  return unsafe CRYPTO_memcmp(one, other, one.count) == 0
  #else
  return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  #endif
}
