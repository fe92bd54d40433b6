/// Where a request's params hold its key: a JSON Pointer (RFC 6901) to something in them.
package struct KeyPointer: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 1024

  /// As it was written.
  package let description: String
  /// The names of members, or numbers of items, from the outside in; at least one.
  package let tokens: [String]
}

extension KeyPointer: SettingText {
  static let form = "a JSON Pointer into the params, such as '/textDocument/uri' or '/0'"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= Self.limitBytes else {
      throw Self.mistake(text)
    }
    var tokens: [String] = []
    // Scalars, not characters: a combining accent after a slash does not make it another slash.
    for part in text.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let token = Self.unescaped(part) else {
        throw Mistake("must be \(Self.form): in \(Quoted.text(text)) a '~' is not followed by 0 or 1")
      }
      tokens.append(token)
    }
    self.tokens = tokens
    description = text
  }

  private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
    var token = String.UnicodeScalarView()
    var rest = part
    while let letter = rest.popFirst() {
      guard letter == "~" else {
        token.append(letter)
        continue
      }
      switch rest.popFirst() {
      case "0": token.append("~")
      case "1": token.append("/")
      default: return nil
      }
    }
    return String(token)
  }
}
