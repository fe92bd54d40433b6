#if TLS
import CLibSSL

extension TLSContext {
  /// - Throws: the fault of the settings, in words that name the setting.
  package convenience init(server settings: TLSServerSettings) throws(TLSFault) {
    self.init(.server, verifies: settings.clientCA != nil)
    if let fault = TLSLibrary.fault { throw fault }
    guard !settings.identities.isEmpty else { throw TLSFault(.settings, "there is no certificate") }
    guard settings.clientCA != nil || !settings.requiresClientCertificate else {
      throw TLSFault(.settings, "nobody is named who vouches for clients")
    }
    applicationProtocols = settings.applicationProtocols.map { Array($0.utf8) }
    for identity in settings.identities {
      let context = try unsafe add(settings.minimumVersion)
      try unsafe show(identity, in: context)
      try unsafe ask(settings, in: context)
      unsafe SSL_CTX_set_alpn_select_cb(
        context, { unsafe TLSContext.chooseProtocol($1, $2, $3, $4, $5) },
        Unmanaged.passUnretained(self).toOpaque())
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

  /// Whose names we do not know is meant for another server, and must not be taken for one of ours (RFC 7301, section
  /// 3.2). The choice lies in what the client has sent, which stays where it is meanwhile.
  private static func chooseProtocol(
    _ choice: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ choiceBytes: UnsafeMutablePointer<UInt8>?,
    _ offers: UnsafePointer<UInt8>?, _ offersBytes: UInt32, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let choice = unsafe choice, let choiceBytes = unsafe choiceBytes, let offers = unsafe offers,
      let context = unsafe context
    else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let ours = unsafe Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().applicationProtocols
    let bytes = unsafe UnsafeBufferPointer(start: offers, count: Int(offersBytes))
    for name in ours {
      var place = 0
      // A length of one byte goes before each name.
      while place < bytes.count {
        let end = unsafe place + 1 + Int(bytes[place])
        guard end <= bytes.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        if unsafe bytes[(place + 1)..<end].elementsEqual(name) {
          unsafe choice.pointee = unsafe offers + place + 1
          unsafe choiceBytes.pointee = unsafe bytes[place]
          return SSL_TLSEXT_ERR_OK
        }
        place = end
      }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
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
    // Where nobody vouches for clients any more, nothing says that a certificate still counts.
    guard verifies else { return unsafe engine.peerCertificate == nil }
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
