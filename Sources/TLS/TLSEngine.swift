#if TLS
import CLibSSL

/// One TLS session: ciphertext goes in and comes out, plaintext goes in and comes out; no socket is near.
///
/// What it reads is in `TLSEngine+Reading.swift`, what it writes in `TLSEngine+Writing.swift`.
@safe package final class TLSEngine {
  /// The most plaintext in a record (RFC 8446, section 5.1).
  package static let recordBytes = 16 * 1024
  /// A record's other bytes at most: header, tag, and what TLS 1.2 allows.
  package static let recordOverheadBytes = 1024
  /// A peer that makes us say more than this without taking it is given up.
  package static let outputLimitBytes = 64 * 1024
  /// So many records in a row may bring no plaintext, such as those that change keys: each costs as much as many messages.
  package static let idleRecordLimit = 32

  // Each of its variables is used for a moment only, and the check that no two uses overlap would cost more than the use.

  /// It is freed first, so that everything of it can go back.
  let session: OpaquePointer
  let wire = TLSWire()
  private let context: TLSContext
  /// Whether a byte of the peer's was looked at.
  @safe @exclusivity(unchecked) var hasBegun = false
  /// How many records without plaintext came since the last one that had some.
  @safe @exclusivity(unchecked) var idleRecords = 0
  /// Both know how to speak, and whom to: plaintext can go either way.
  @safe @exclusivity(unchecked) package internal(set) var isSecured = false
  /// The peer has said that nothing more comes.
  @safe @exclusivity(unchecked) package internal(set) var peerHasEnded = false
  /// We have said so.
  @safe @exclusivity(unchecked) package internal(set) var hasEnded = false
  /// Why it cannot go on; told once by whoever asks first, and kept.
  @safe @exclusivity(unchecked) package internal(set) var fault: TLSFault?

  /// A server's side.
  package convenience init(server context: TLSContext) throws(TLSFault) {
    precondition(context.role == .server, "a server's engine needs a server's context")
    try self.init(context)
    unsafe SSL_set_accept_state(session)
  }

  /// A client's side; its first words are in `output` at once.
  /// - Parameter name: whom it wants to speak to: a host's name, or an IP address as it is written.
  package convenience init(client context: TLSContext, to name: String) throws(TLSFault) {
    precondition(context.role == .client, "a client's engine needs a client's context")
    try self.init(context)
    unsafe SSL_set_connect_state(session)
    try expect(name)
    goOn()
    if let fault { throw fault }
  }

  private init(_ context: TLSContext) throws(TLSFault) {
    TLSErrors.forget()
    guard let session = unsafe SSL_new(context.first) else {
      throw TLSContext.fault("there is no memory for it")
    }
    unsafe self.session = session
    self.context = context
    guard let bio = unsafe wire.makeBIO() else { throw TLSContext.fault("there is no memory for it") }
    // It is the session's from now on.
    unsafe SSL_set_bio(session, bio, bio)
  }

  deinit { unsafe SSL_free(session) }

  /// The server's certificate has to be for it.
  private func expect(_ name: String) throws(TLSFault) {
    let terms = unsafe SSL_get0_param(session)
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(terms, name) == 1 { return }
    TLSErrors.forget()
    unsafe SSL_set_hostflags(session, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    let isName = !name.isEmpty && !name.utf8.contains(0)
    guard isName, unsafe SSL_set1_host(session, name) == 1, unsafe clibssl_set_server_name(session, name) == 1
    else {
      throw TLSFault(.settings, "a certificate cannot be for such a name")
    }
  }

  /// What is to be sent, in the order of sending.
  package var output: [UInt8] {
    get { wire.output }
    _modify { yield &wire.output }
  }

  /// As it was agreed on, such as `TLSv1.3`.
  package var version: String { unsafe String(cString: SSL_get_version(session)) }

  /// The application protocol chosen among those that the client named; nil: none.
  package var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(session, &name, &count)
    guard count > 0, let name = unsafe name else { return nil }
    return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  // MARK: The handshake

  /// Goes on with it as far as what has come allows.
  func goOn() {
    guard !isSecured, fault == nil else { return }
    TLSErrors.forget()
    let status = unsafe SSL_do_handshake(session)
    if status == 1 {
      isSecured = true
    } else if unsafe SSL_get_error(session, status) != SSL_ERROR_WANT_READ {
      fail()
    }
    checkOutput()
  }

  /// Notes why the library does not go on.
  func fail() {
    let verification = unsafe SSL_get_verify_result(session)
    let reason = TLSErrors.take() ?? "no reason is known"
    if isSecured && reason.hasSuffix("certificate required") {
      fault = TLSFault(.broken, "the peer asks for a certificate, and was shown none (\(reason))")
    } else if isSecured {
      fault = TLSFault(.broken, "a record was damaged or out of place (\(reason))")
    } else if context.verifies && verification != Int(X509_V_OK) {
      fault = TLSFault(
        .untrusted, "the peer's certificate: \(TLSErrors.reason(ofVerification: verification))")
    } else if context.role == .server && reason == "peer did not return a certificate" {
      fault = TLSFault(.untrusted, "the peer showed no certificate")
    } else {
      fault = TLSFault(.handshake, "no agreement on TLS (\(reason))")
    }
  }

  /// A record came that brought no plaintext.
  func noteIdleRecord() {
    idleRecords += 1
    guard idleRecords > Self.idleRecordLimit else { return }
    fault = TLSFault(.broken, "more than \(Self.idleRecordLimit) records in a row say nothing")
  }

  func checkOutput() {
    guard output.count > Self.outputLimitBytes, fault == nil else { return }
    fault = TLSFault(.overfull, "the peer asks for more than it takes")
  }
}

@available(*, unavailable)
extension TLSEngine: Sendable {}
#endif
