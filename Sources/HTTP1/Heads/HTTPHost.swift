/// The host that a request names, and whether it is one by number or by name.
package struct HTTPHost: Equatable, Sendable {
  /// As it was sent, port included, in small letters.
  package let text: String
  /// Without the port.
  package let name: String
  /// No name server has a say in where it leads.
  package let isAddress: Bool

  /// Nil if it is no `HOST[:PORT]`.
  package init?(_ sent: String) {
    guard sent.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    text = HTTPText.lowercased(sent)
    guard let end = Self.nameEnd(text.utf8), Self.isPort(text.utf8[end...]) else { return nil }
    name = String(text[..<end])
    isAddress = name.hasPrefix("[") || Self.isIPv4(name)
  }

  /// Where the name ends; nil if it has characters that none can have.
  private static func nameEnd(_ text: String.UTF8View) -> String.Index? {
    guard text.first == UInt8(ascii: "[") else {
      let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
      return text[..<end].allSatisfy(isOfName) ? end : nil
    }
    guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let inner = text[text.index(after: text.startIndex)..<close]
    return !inner.isEmpty && inner.allSatisfy(isOfIPv6) ? text.index(after: close) : nil
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    HTTPText.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || "-._~".utf8.contains(byte)
  }

  private static func isOfIPv6(_ byte: UInt8) -> Bool {
    HTTPText.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      || ":.".utf8.contains(byte)
  }

  private static func isPort(_ rest: Substring.UTF8View) -> Bool {
    guard let colon = rest.first else { return true }
    return colon == UInt8(ascii: ":") && rest.count <= 6 && rest.dropFirst().allSatisfy(HTTPText.isDigit)
  }

  private static func isIPv4(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.count) && part.allSatisfy(HTTPText.isDigit)
          && UInt8(HTTPText.string(part)) != nil
      }
  }
}
