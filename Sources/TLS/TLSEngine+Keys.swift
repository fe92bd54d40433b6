#if TLS
import CLibSSL

extension TLSEngine {
  /// Goes on with other keys, and asks the peer to do so, too (RFC 8446, section 4.6.3). Ours never need that; theirs may.
  /// What says so is in `output`. Nothing happens before the handshake is over, and in TLS 1.2.
  package func changeKeys() {
    guard isSecured, !hasEnded, fault == nil else { return }
    defer { TLSErrors.forget() }
    guard unsafe SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 else { return }
    _ = unsafe SSL_do_handshake(session)
  }
}
#endif
