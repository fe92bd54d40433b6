#if TLS
import CLibSSL

extension TLSContext {
  /// Servers are always verified: their chain, and that it is for the name that a session expects.
  /// - Throws: the fault of the settings, in words that name the setting.
  package convenience init(client settings: TLSClientSettings) throws(TLSFault) {
    self.init(.client, verifies: true)
    let context = try unsafe add(settings.minimumVersion)
    if let authorities = settings.ca {
      try unsafe trust(authorities, in: context)
    } else {
      guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw Self.fault("whom the system trusts is not known")
      }
    }
    if let identity = settings.identity { try unsafe show(identity, in: context) }
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
  }
}
#endif
