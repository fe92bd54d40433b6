/// The name of a method, of a member of its params, or the prefix of a key.
package struct WireName: Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

extension WireName: SettingText {
  static let form = "1 to \(SettingLimit.nameBytes) bytes"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard !text.isEmpty, text.utf8.count <= SettingLimit.nameBytes else { throw Self.mistake(text) }
    description = text
  }
}
