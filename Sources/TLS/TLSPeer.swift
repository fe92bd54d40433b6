/// The peer's identity, by its verified certificate.
package struct TLSPeer: Hashable, Sendable {
  /// As RFC 2253 writes it: `CN=alice,O=Example`.
  package internal(set) var subject = ""
  /// Of the subject alternative names those that are DNS names.
  package internal(set) var dnsNames: [String] = []
  package internal(set) var uris: [String] = []
  package internal(set) var emails: [String] = []
  /// 4 or 16 bytes each.
  package internal(set) var addresses: [[UInt8]] = []
  /// SHA-256 of the certificate, 32 bytes.
  package internal(set) var fingerprint: [UInt8] = []
}
