/// What somebody asks for, with all that decides whether they may.
package struct HTTPRequest: Hashable, Sendable {
  /// Only what would come before the content is wanted.
  package var isHead = false
  /// Without escapes; it begins with a slash.
  package var path = "/"
  /// What follows the question mark, with its escapes.
  package var query = ""
  /// Nil where HTTP/1.0 says none.
  package var host: HTTPHost?
  /// The page that the request was made by, as browsers say it.
  package var origin: String?
  package var fetchSite: String?
  /// Another request may follow.
  package var keepsConnection = true

  package init() {}

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
