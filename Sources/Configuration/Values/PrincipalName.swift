import Identity

/// The name of a principal or of a namespace.
package struct PrincipalName: Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

extension PrincipalName: SettingText {
  static let form = PrincipalOptions.nameForm
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard PrincipalOptions.isName(text) else { throw Self.mistake(text) }
    description = text
  }
}
