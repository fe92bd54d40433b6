#if TLS
import CLibSSL
import TLS

/// A client's engine and a server's, with a certificate that is made when the first one is needed.
final class TLSConversation {
  let server: TLSEngine
  let client: TLSEngine
  /// What the server has understood.
  private(set) var heard: [UInt8] = []
  private var room: [UInt8] = []

  init() throws(Violation) {
    do throws(TLSFault) {
      guard let contexts = unsafe Self.contexts else { throw TLSFault(.settings, "there is no certificate") }
      server = try TLSEngine(server: contexts.server)
      client = try TLSEngine(client: contexts.client, to: "fuzz.example")
    } catch {
      throw Violation(description: "no engine: \(error)")
    }
  }

  func shakeHands() {
    for _ in 0..<8 where !(client.output.isEmpty && server.output.isEmpty) {
      toServer(takeOutput(), step: 4_096)
      let answer = server.output
      server.output = []
      _ = client.receive(answer.span, count: answer.count, into: &room)
    }
  }

  /// What the client says.
  func takeOutput() -> [UInt8] {
    defer { client.output = [] }
    return client.output
  }

  func toServer(_ bytes: [UInt8], step: Int) {
    for start in stride(from: 0, to: bytes.count, by: step) {
      let piece = Array(bytes[start..<min(start + step, bytes.count)])
      let count = server.receive(piece.span, count: piece.count, into: &room)
      heard += room[..<count]
    }
  }

  /// What the client understands of these.
  func toClient(_ bytes: [UInt8]) -> [UInt8] {
    let count = client.receive(bytes.span, count: bytes.count, into: &room)
    return Array(room[..<count])
  }

  /// One thread fuzzes, and tests only read it.
  nonisolated(unsafe) private static let contexts: (server: TLSContext, client: TLSContext)? = {
    guard let identity = makeIdentity() else { return nil }
    var settings = TLSClientSettings()
    settings.ca = identity.chain
    guard let server = try? TLSContext(server: TLSServerSettings([identity])),
      let client = try? TLSContext(client: settings)
    else { return nil }
    return (server, client)
  }()

  /// A certificate that its own key vouches for.
  private static func makeIdentity() -> TLSIdentity? {
    guard let maker = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(maker) }
    var made: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(maker) == 1, unsafe EVP_PKEY_keygen(maker, &made) == 1,
      let key = unsafe made,
      let certificate = unsafe X509_new()
    else { return nil }
    defer {
      unsafe EVP_PKEY_free(key)
      unsafe X509_free(certificate)
    }
    unsafe fill(certificate, key)
    guard unsafe X509_sign(certificate, key, nil) > 0 else { return nil }
    let chain = unsafe text { unsafe PEM_write_bio_X509($0, certificate) == 1 }
    let secret = unsafe text { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    return TLSIdentity(chain: chain, key: secret)
  }

  private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer) {
    unsafe X509_set_version(certificate, 2)
    unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
    unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), 3600 * 24 * 365)
    unsafe X509_set_pubkey(certificate, key)
    let name = unsafe X509_get_subject_name(certificate)
    unsafe X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "fuzz.example", -1, -1, 0)
    unsafe X509_set_issuer_name(certificate, name)
    let names = unsafe X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, "DNS:fuzz.example")
    unsafe X509_add_ext(certificate, names, -1)
    unsafe X509_EXTENSION_free(names)
  }

  private static func text(_ write: (OpaquePointer) -> Bool) -> [UInt8] {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { return [] }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(bio, $0.baseAddress, Int32($0.count)) }
    return Array(bytes.prefix(max(0, Int(count))))
  }
}

@available(*, unavailable)
extension TLSConversation: Sendable {}
#endif
