/// What a method, or a member of its params, is called in what an upstream gets.
package struct WireName: Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

extension WireName: SettingText {
  static let form = "a name of at most \(SettingLimit.nameBytes) bytes"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard !text.isEmpty, text.utf8.count <= SettingLimit.nameBytes else { throw Self.mistake(text) }
    description = text
  }
}
