/// What the first line of a request asks for, taken apart.
package struct HTTPTarget: Equatable, Sendable {
  /// Without escapes; it begins with a slash, or is `*` where it means the whole server (RFC 9112 section 3.2.4).
  package let path: String
  /// What follows the question mark, with its escapes.
  package let query: String
  /// Of a whole URL, as only proxies get it; it wins over the field.
  package let host: HTTPHost?

  /// - Parameter isOfServer: it may be `*`.
  init(_ bytes: ArraySlice<UInt8>, isSecure: Bool, isOfServer: Bool) throws(HTTPFault) {
    if isOfServer, bytes.elementsEqual("*".utf8) {
      (path, query, host) = ("*", "", nil)
      return
    }
    guard bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw .malformed("the target has characters that none may have")
    }
    let rest: ArraySlice<UInt8>
    (host, rest) = try Self.withoutHost(bytes, isSecure: isSecure)
    let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = HTTPText.unescaped(parts[0]), !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else { throw .malformed("the path is no text") }
    self.path = path.isEmpty ? "/" : path
    query = parts.count == 2 ? HTTPText.string(parts[1]) : ""
  }

  private static func withoutHost(
    _ bytes: ArraySlice<UInt8>, isSecure: Bool
  ) throws(HTTPFault) -> (HTTPHost?, ArraySlice<UInt8>) {
    if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
    let secure = rest(of: bytes, behind: ["https://", "wss://"])
    let plain = rest(of: bytes, behind: ["http://", "ws://"])
    guard let rest = secure ?? plain else { throw .malformed("the target must be a path") }
    guard (secure != nil) == isSecure else {
      throw HTTPFault(.misdirected, "the target's scheme is not that of this connection")
    }
    let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
    guard let host = HTTPHost(HTTPText.string(rest[..<end])), !host.name.isEmpty else {
      throw .malformed("the target names no host")
    }
    return (host, rest[end...])
  }

  private static let longestScheme = "https://".utf8.count

  /// Nil: it begins with none of the schemes.
  private static func rest(of bytes: ArraySlice<UInt8>, behind schemes: [String]) -> ArraySlice<UInt8>? {
    let start = HTTPText.lowercased(HTTPText.string(bytes.prefix(longestScheme)))
    return schemes.first { start.hasPrefix($0) }.map { bytes.dropFirst($0.utf8.count) }
  }

  /// What the query says for a name, without escapes; the first, if it says several things.
  package func parameter(_ name: String) -> String? {
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let words = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard HTTPText.unescaped(words[0], plusIsSpace: true) == name else { continue }
      return words.count == 2 ? HTTPText.unescaped(words[1], plusIsSpace: true) : ""
    }
    return nil
  }
}
