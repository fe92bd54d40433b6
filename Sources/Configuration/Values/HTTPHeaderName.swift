import HTTP1
import JSONRPC
import TOML

/// The name of a header field.
package struct HTTPHeaderName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Names of fields for the framing of a request, which the transport sets.
  private static let reserved = [
    "connection", "content-length", "expect", "transfer-encoding", "upgrade",
  ]
}

extension HTTPHeaderName: SettingText {
  static let form = "a header's name of at most \(limitBytes) bytes"
  static let limitBytes = 256
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard text.utf8.allSatisfy(\.isTokenCharacter), !text.isEmpty, text.utf8.count <= Self.limitBytes else {
      throw Mistake("must be \(Self.form)")
    }
    guard !Self.reserved.contains(text.lowercased()) else {
      throw Mistake("must not be \(Quoted.text(text)), which lastword says itself")
    }
    description = text
  }
}
