#if TLS
import CLibSSL

/// What the sessions of one server or client share: certificates, keys, trust and protocols.
///
/// It does not change: another certificate is another context, and sessions keep the one they began with.
@safe package final class TLSContext {
  /// Forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
  static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL"
  static let groups = "X25519:P-256:P-384"

  enum Role { case server, client }

  let role: Role
  /// One for each identity, alike but for that; sessions begin with the first. Valid as long as this object.
  private(set) var all: [OpaquePointer] = unsafe []
  /// A certificate is asked for and checked.
  let verifies: Bool
  /// Of a server: what it speaks of what clients name.
  var applicationProtocols: [[UInt8]] = []

  init(_ role: Role, verifies: Bool) {
    self.role = role
    self.verifies = verifies
  }

  deinit { unsafe all.forEach { unsafe SSL_CTX_free($0) } }

  var first: OpaquePointer { unsafe all[0] }

  /// Adds one with what is the same in all.
  func add(_ minimum: TLSVersion) throws(TLSFault) -> OpaquePointer {
    if let fault = TLSLibrary.fault { throw fault }
    TLSErrors.forget()
    let method = unsafe role == .server ? TLS_server_method() : TLS_client_method()
    guard let context = unsafe SSL_CTX_new(method) else { throw Self.fault("TLS does not start") }
    unsafe all.append(context)
    unsafe clibssl_harden(context)
    let version = minimum == .v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION
    guard unsafe clibssl_set_minimum(context, version) == 1,
      unsafe SSL_CTX_set_cipher_list(context, Self.ciphers) == 1,
      unsafe clibssl_set_groups(context, Self.groups) == 1
    else { throw Self.fault("the library does not speak it") }
    return unsafe context
  }

  /// Has sessions show who we are.
  func show(_ identity: TLSIdentity, in context: OpaquePointer) throws(TLSFault) {
    do throws(TLSFault) {
      try PEM.read(identity.chain) { pem throws(TLSFault) in
        try unsafe pem.eachCertificate { certificate, index throws(TLSFault) in
          let status =
            unsafe index == 0
            ? SSL_CTX_use_certificate(context, certificate) : clibssl_add_chain(context, certificate)
          if status != 1 { throw Self.fault("it cannot be used") }
        }
      }
    } catch {
      throw TLSFault(.settings, "the certificate: \(error)")
    }
    do throws(TLSFault) {
      try PEM.read(identity.key) { pem throws(TLSFault) in
        try unsafe pem.key { key throws(TLSFault) in
          let isOurs =
            unsafe SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1
          if !isOurs { throw Self.fault("it does not belong to the certificate") }
        }
      }
    } catch {
      throw TLSFault(.settings, "the key: \(error)")
    }
  }

  /// Has sessions trust whom these vouch for, and nobody else.
  func trust(_ authorities: [UInt8], in context: OpaquePointer) throws(TLSFault) {
    let store = unsafe SSL_CTX_get_cert_store(context)
    do throws(TLSFault) {
      try PEM.read(authorities) { pem throws(TLSFault) in
        try unsafe pem.eachCertificate { certificate, _ throws(TLSFault) in
          guard unsafe X509_STORE_add_cert(store, certificate) == 1 else {
            throw Self.fault("it cannot be used")
          }
          // Clients hear whose certificates are taken, and choose theirs by that.
          if role == .server { unsafe SSL_CTX_add_client_CA(context, certificate) }
        }
      }
    } catch {
      throw TLSFault(.settings, "the certificates of those who vouch: \(error)")
    }
  }

  static func fault(_ text: String) -> TLSFault {
    TLSFault(.settings, TLSErrors.take().map { "\(text) (\($0))" } ?? text)
  }
}

@available(*, unavailable)
extension TLSContext: Sendable {}
#endif
