/// Something that a certificate says of whom it is for, as the configuration has it.
package struct CertificateName: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Of the subject's alternative names (RFC 5280, section 4.2.1.6).
    case dns, uri, email
    /// The whole subject, as RFC 4514 writes it.
    case subject
    /// The certificate's own SHA-256, in hexadecimal digits.
    case sha256
  }

  package let kind: Kind
  package let text: String

  /// Names of hosts, and digits, are the same in either case, as far as they are ASCII: a letter that Unicode takes for one
  /// of those is another one here.
  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = kind == .dns || kind == .sha256 ? Self.lowercased(text) : text
  }

  private static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  package static func == (one: CertificateName, other: CertificateName) -> Bool {
    one.kind == other.kind && one.text.utf8.elementsEqual(other.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
