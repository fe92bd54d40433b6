/// What the first line of a request asks for, taken apart.
package struct HTTPTarget: Equatable, Sendable {
  /// Without escapes; it begins with a slash.
  package let path: String
  /// What follows the question mark, with its escapes.
  package let query: String
  /// Of a whole URL, as only proxies get it; it wins over the field.
  package let host: HTTPHost?

  init(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) {
    guard bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw .malformed("the target has characters that none may have")
    }
    let rest: ArraySlice<UInt8>
    (host, rest) = try Self.withoutHost(bytes)
    let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = HTTPText.unescaped(parts[0]), !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else { throw .malformed("the path is no text") }
    self.path = path.isEmpty ? "/" : path
    query = parts.count == 2 ? HTTPText.string(parts[1]) : ""
  }

  private static func withoutHost(
    _ bytes: ArraySlice<UInt8>
  ) throws(HTTPFault) -> (HTTPHost?, ArraySlice<UInt8>) {
    if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
    let scheme = "http://"
    guard HTTPText.string(bytes.prefix(scheme.utf8.count)).lowercased() == scheme else {
      throw .malformed("the target must be a path")
    }
    let rest = bytes.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
    guard let host = HTTPHost(HTTPText.string(rest[..<end])), !host.name.isEmpty else {
      throw .malformed("the target names no host")
    }
    return (host, rest[end...])
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
