#if TLS
import CLibSSL
#endif

/// Says whether there is a TLS library here, and which.
package enum TLSLibrary {
  #if TLS
  /// Why TLS cannot be used; nil if it can.
  package static let fault: TLSFault? = {
    // Packaged programs look for the library when they need it, and hear 0 where there is none.
    let running = OpenSSL_version_num()
    guard running != 0 else { return TLSFault(.absent, "this machine has no OpenSSL 3 (libssl.so.3)") }
    guard running >> 28 >= 3 else { return TLSFault(.absent, "OpenSSL is older than 3.0") }
    return nil
  }()

  /// Whose headers were built with.
  package static var built: String? { unsafe String(cString: clibssl_built_version()) }

  /// That runs; nil: there is none.
  package static var running: String? {
    // The library's own text, which stays.
    guard OpenSSL_version_num() != 0, let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else {
      return nil
    }
    return unsafe String(cString: text)
  }
  #else
  package static let fault: TLSFault? = TLSFault(.absent, "this build has no TLS (build with --traits TLS)")
  package static let built: String? = nil
  package static let running: String? = nil
  #endif
}
