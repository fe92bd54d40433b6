#if TLS
import CLibSSL

/// Reads certificates and keys from PEM text (RFC 7468).
@safe struct PEM {
  /// More certificates in one text are none that a peer would follow.
  static let mostCertificates = 1_000

  private let bio: OpaquePointer

  /// Has `body` read the text, and lets go of it.
  static func read<Result>(_ text: [UInt8], _ body: (PEM) throws(TLSFault) -> Result) throws(TLSFault)
    -> Result
  {
    TLSErrors.forget()
    var outcome: Swift.Result<Result, TLSFault> = .failure(TLSFault(.settings, "there is no memory for it"))
    unsafe text.withUnsafeBytes { bytes in
      guard bytes.count <= Int32.max, let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      else {
        return
      }
      defer { unsafe BIO_free(bio) }
      do throws(TLSFault) { outcome = .success(try body(unsafe PEM(bio: bio))) } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Each certificate in it goes to `body`, and is let go afterwards.
  /// - Throws: when there is none, or one that cannot be read.
  func eachCertificate(_ body: (OpaquePointer, _ index: Int) throws(TLSFault) -> Void) throws(TLSFault) {
    for index in 0..<Self.mostCertificates {
      guard let certificate = unsafe PEM_read_bio_X509(bio, nil, Self.noPassword, nil) else {
        let isEnd = index > 0 && clibssl_is_end_of_pem() != 0
        let reason = TLSErrors.take()
        if isEnd { return }
        throw TLSFault(.settings, "there is no certificate in it that can be read (\(reason ?? "no PEM"))")
      }
      defer { unsafe X509_free(certificate) }
      try unsafe body(certificate, index)
    }
    throw TLSFault(.settings, "there are more than \(Self.mostCertificates) certificates in it")
  }

  /// The first private key goes to `body`, and is let go afterwards.
  func key(_ body: (OpaquePointer) throws(TLSFault) -> Void) throws(TLSFault) {
    guard let key = unsafe PEM_read_bio_PrivateKey(bio, nil, Self.noPassword, nil) else {
      let reason = TLSErrors.take() ?? "no PEM"
      throw TLSFault(.settings, "there is no key in it that can be read without a password (\(reason))")
    }
    defer { unsafe EVP_PKEY_free(key) }
    try unsafe body(key)
  }

  /// Without this the library would ask whoever sits at the terminal.
  private static let noPassword:
    @convention(c) (
      UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, _, _, _ in -1 }
}

@available(*, unavailable)
extension PEM: Sendable {}
#endif
