/// Where a page is from: scheme, host and port (RFC 6454 section 6.2).
package struct HTTPOrigin: Hashable, Sendable {
  /// As browsers write it: in small letters, and without the port that its scheme has anyway.
  package let text: String
  package let scheme: String

  /// Nil if it is no `SCHEME://HOST[:PORT]`, as `null` is none.
  package init?(_ sent: String) {
    guard sent.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let words = HTTPText.lowercased(sent).split(
      separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, Self.isScheme(words[0]), let host = HTTPHost(String(words[1])),
      !host.name.isEmpty
    else { return nil }
    scheme = String(words[0])
    let port = host.text.dropFirst(host.name.count)
    guard !port.isEmpty else {
      text = "\(scheme)://\(host.name)"
      return
    }
    guard let number = UInt16(port.dropFirst()), number > 0 else { return nil }
    text = "\(scheme)://\(host.name)" + (Self.usualPorts[scheme] == number ? "" : ":\(number)")
  }

  private static let usualPorts: [String: UInt16] = ["http": 80, "https": 443]

  /// RFC 3986 section 3.1, in small letters.
  private static func isScheme(_ text: Substring) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let first = text.utf8.first, letters.contains(first) else { return false }
    return text.utf8.allSatisfy {
      letters.contains($0) || HTTPText.isDigit($0) || "+-.".utf8.contains($0)
    }
  }
}
