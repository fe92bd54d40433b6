import Identity
import Secrets
import TLS

extension Credential {
  /// The names in a verified certificate: first its fingerprint, then its alternative names, then its subject.
  init(_ peer: TLSPeer) {
    var names = [CertificateName(.sha256, Hexadecimal.text(of: peer.fingerprint))]
    names += peer.uris.map { CertificateName(.uri, $0) }
    names += peer.dnsNames.map { CertificateName(.dns, $0) }
    names += peer.emails.map { CertificateName(.email, $0) }
    names.append(CertificateName(.subject, peer.subject))
    self = .certificate(names)
  }
}
