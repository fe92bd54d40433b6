#if TLS
import CLibSSL

extension TLSEngine {
  /// Who the peer is; nil: it has shown no certificate, or the handshake is not over.
  package var peer: TLSPeer? {
    guard isSecured, let certificate = unsafe peerCertificate else { return nil }
    defer { TLSErrors.forget() }
    var peer = TLSPeer()
    peer.subject = unsafe Self.subject(of: certificate)
    peer.fingerprint = unsafe Self.fingerprint(of: certificate)
    unsafe Self.addNames(of: certificate, to: &peer)
    return peer
  }

  /// It lives as long as the session.
  var peerCertificate: OpaquePointer? { unsafe SSL_get0_peer_certificate(session) }

  /// What the peer showed besides; it lives as long as the session.
  var peerChain: OpaquePointer? { unsafe SSL_get_peer_cert_chain(session) }

  private static func subject(of certificate: OpaquePointer) -> String {
    guard let text = unsafe BIO_new(BIO_s_mem()) else { return "" }
    defer { unsafe BIO_free(text) }
    _ = unsafe X509_NAME_print_ex(text, X509_get_subject_name(certificate), 0, clibssl_subject_form())
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(text, $0.baseAddress, Int32($0.count)) }
    return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
  }

  private static func fingerprint(of certificate: OpaquePointer) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard unsafe X509_digest(certificate, EVP_sha256(), &bytes, &count) == 1 else { return [] }
    return Array(bytes.prefix(Int(count)))
  }

  private static func addNames(of certificate: OpaquePointer, to peer: inout TLSPeer) {
    guard let found = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return }
    let names = OpaquePointer(found)
    defer { unsafe GENERAL_NAMES_free(names) }
    let count = unsafe clibssl_count_names(names)
    for index in 0..<count {
      var (kind, count): (Int32, Int32) = (0, 0)
      guard let start = unsafe clibssl_name(names, index, &kind, &count) else { continue }
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
      if kind == GEN_IPADD { peer.addresses.append(bytes) }
      // With a 0 in it, others would read less of it than we do.
      guard !bytes.contains(0) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      switch kind {
      // Other bytes are no name of a host (RFC 5280, section 4.2.1.6).
      case GEN_DNS: if bytes.allSatisfy({ $0 < 0x80 }) { peer.dnsNames.append(text) }
      case GEN_URI: peer.uris.append(text)
      case GEN_EMAIL: peer.emails.append(text)
      default: break
      }
    }
  }
}
#endif
