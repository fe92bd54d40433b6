/// The path of a file or directory. A relative path starts at the working directory of lastword.
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
