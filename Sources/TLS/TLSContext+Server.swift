#if TLS
import CLibSSL

extension TLSContext {
  /// - Throws: what is wrong with the settings, in words that say which.
  package convenience init(server settings: TLSServerSettings) throws(TLSFault) {
    self.init(.server, verifies: settings.clientCA != nil)
    if let fault = TLSLibrary.fault { throw fault }
    guard !settings.identities.isEmpty else { throw TLSFault(.settings, "there is no certificate") }
    guard settings.clientCA != nil || !settings.requiresClientCertificate else {
      throw TLSFault(.settings, "nobody is named who vouches for clients")
    }
    for identity in settings.identities {
      let context = try unsafe add(settings.minimumVersion)
      try unsafe show(identity, in: context)
      try unsafe ask(settings, in: context)
      unsafe refuseProtocols(in: context)
    }
    unsafe clibssl_set_name_choice(
      first, { session, _, context in unsafe TLSContext.chooseByName(session, context) },
      Unmanaged.passUnretained(self).toOpaque())
  }

  private func ask(_ settings: TLSServerSettings, in context: OpaquePointer) throws(TLSFault) {
    guard let authorities = settings.clientCA else { return }
    try unsafe trust(authorities, in: context)
    let must = settings.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | must, nil)
    // A session that was resumed would bring back who was trusted before.
    unsafe clibssl_forbid_tickets(context)
  }

  /// What a client offers by ALPN is something else than JSON-RPC, which has no name there: such a client is meant for
  /// another server, and must not be taken for one of ours (RFC 7301, section 3.2).
  private func refuseProtocols(in context: OpaquePointer) {
    unsafe SSL_CTX_set_alpn_select_cb(context, { _, _, _, _, _, _ in SSL_TLSEXT_ERR_ALERT_FATAL }, nil)
  }

  /// Sessions live no longer than their context, which holds the callback's argument.
  private static func chooseByName(_ session: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let name = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name),
      let context = unsafe context
    else { return SSL_TLSEXT_ERR_NOACK }
    let all = unsafe Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().all
    let choice = unsafe all.first {
      unsafe X509_check_host(SSL_CTX_get0_certificate($0), name, 0, 0, nil) == 1
    }
    guard let choice = unsafe choice else { return SSL_TLSEXT_ERR_NOACK }
    unsafe SSL_set_SSL_CTX(session, choice)
    return SSL_TLSEXT_ERR_OK
  }

  /// Whether a client that came by another context would be let in by this one, too: by what it showed then.
  package func wouldTrust(_ engine: TLSEngine) -> Bool {
    guard verifies else { return true }
    guard let certificate = unsafe engine.peerCertificate else {
      return unsafe SSL_CTX_get_verify_mode(first) & SSL_VERIFY_FAIL_IF_NO_PEER_CERT == 0
    }
    guard let check = unsafe X509_STORE_CTX_new() else { return false }
    defer { unsafe X509_STORE_CTX_free(check) }
    defer { TLSErrors.forget() }
    return unsafe X509_STORE_CTX_init(check, SSL_CTX_get_cert_store(first), certificate, engine.peerChain)
      == 1
      && X509_STORE_CTX_set_default(check, "ssl_client") == 1 && X509_verify_cert(check) == 1
  }
}
#endif
