/// The path of a URL, as requests have it.
package struct HTTPPath: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 256

  package let description: String
}

extension HTTPPath: SettingText {
  static let form =
    "a path that begins with /, of at most \(limitBytes) visible ASCII characters other than % ? #"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"%?#".utf8.contains($0) }
    guard isPlain, text.hasPrefix("/"), text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text
  }
}
