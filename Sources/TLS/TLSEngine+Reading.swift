#if TLS
import CLibSSL

extension TLSEngine {
  /// Takes the first `count` of some bytes of the peer's; what they say is then at the front of `plaintext`, which grows
  /// to have room for it and `slackBytes` behind it. What we have to say to them is in `output`.
  /// - Returns: how many bytes of plaintext there are. Whole records before a damaged one count: `fault` says more.
  package func receive(
    _ ciphertext: Span<UInt8>, count: Int, into plaintext: inout [UInt8], slackBytes: Int = 0
  ) -> Int {
    // What comes behind the peer's own end is nobody's.
    guard fault == nil, !peerHasEnded, count > 0 else { return 0 }
    guard beginsWell(ciphertext[0]) else { return 0 }
    let most = count + Self.recordBytes + Self.recordOverheadBytes
    if plaintext.count < most + slackBytes {
      plaintext.append(contentsOf: repeatElement(0, count: most + slackBytes - plaintext.count))
    }
    let taken = unsafe ciphertext.withUnsafeBytes { bytes in
      unsafe wire.with(UnsafeRawBufferPointer(rebasing: bytes[..<count])) {
        goOn()
        return isSecured ? unsafe plaintext.withUnsafeMutableBytes { unsafe read(into: $0, most) } : 0
      }
    }
    checkOutput()
    return taken
  }

  /// Whether a part of a record is kept until the rest of it comes.
  package var holdsPart: Bool {
    // Where all of a header has come, and nothing behind it, nothing is pending for the library.
    unsafe SSL_has_pending(session) == 1 || SSL_rstate_string(session)[1] == CChar(UInt8(ascii: "B"))
  }

  /// The peer's bytes have ended: that is a fault unless it has said so before.
  package func inputEnded() {
    guard !peerHasEnded, fault == nil else { return }
    fault = TLSFault(
      .truncated,
      isSecured ? "the connection ended without the peer's word" : "the connection ended too early")
  }

  private var isClient: Bool { unsafe SSL_is_server(session) == 0 }

  private func beginsWell(_ first: UInt8) -> Bool {
    if hasBegun { return true }
    hasBegun = true
    // A handshake's record, or a server's alert (RFC 8446, section 5.1). Nothing is answered to what is neither.
    if first == 22 || first == 21 && isClient { return true }
    fault = TLSFault(.notTLS, "what came is no TLS")
    return false
  }

  private func read(into room: UnsafeMutableRawBufferPointer, _ most: Int) -> Int {
    var total = 0
    while fault == nil && !peerHasEnded {
      TLSErrors.forget()
      var count = 0
      let status = unsafe SSL_read_ex(session, room.baseAddress! + total, most - total, &count)
      if status == 1 {
        total += count
        idleRecords = 0
        // Asked once more, the library would take memory for a record that is not there.
        if unsafe !wire.hasInput && SSL_has_pending(session) == 0 { return total }
        continue
      }
      switch unsafe SSL_get_error(session, status) {
      case SSL_ERROR_WANT_READ where wire.hasInput: noteIdleRecord()
      case SSL_ERROR_WANT_READ: return total
      case SSL_ERROR_ZERO_RETURN: peerHasEnded = true
      default: fail()
      }
    }
    return total
  }
}
#endif
