#if TLS
import CLibSSL

/// OpenSSL's error texts, which it keeps for each thread until they are read.
enum TLSErrors {
  /// Mostly there are none, which costs less to ask than to clear them.
  static func forget() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// What went wrong first since they were forgotten, in the library's words; nil: it does not say.
  static func take() -> String? {
    defer { forget() }
    let code = ERR_peek_error()
    // The library's own text, which stays.
    guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return nil }
    return unsafe String(cString: text)
  }

  /// Why a certificate is not trusted, by the number that verification gave.
  static func reason(ofVerification result: Int) -> String {
    switch Int32(truncatingIfNeeded: result) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "it has expired"
    case X509_V_ERR_CERT_NOT_YET_VALID: return "it is not valid yet"
    case X509_V_ERR_HOSTNAME_MISMATCH: return "it is for another name"
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "it is for another address"
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "nobody who is trusted vouches for it"
    default:
      guard let text = unsafe X509_verify_cert_error_string(result) else { return "verification failed" }
      return unsafe String(cString: text)
    }
  }
}
#endif
