/// A file or directory; one that is not absolute is found from where lastword was started.
package struct FilePath: Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

extension FilePath: SettingText {
  static let form = "a path of at most \(limitBytes) bytes"
  static let limitBytes = 4095
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text
  }
}
