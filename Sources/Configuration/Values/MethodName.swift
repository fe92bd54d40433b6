import TOML

/// The name of a method of an upstream.
package struct MethodName: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  static func isOwn(_ name: String) -> Bool { name.hasPrefix("lastword.") || name.hasPrefix("rpc.") }

  static func ownMistake(_ text: String) -> Mistake {
    Mistake("must not be \(Quoted.text(text)): methods of lastword and rpc never reach an upstream")
  }
}

extension MethodName: SettingText {
  static let form = "a method of at most \(SettingLimit.nameBytes) bytes"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    guard !text.isEmpty, text.utf8.count <= SettingLimit.nameBytes else { throw Self.mistake(text) }
    if Self.isOwn(text) { throw Self.ownMistake(text) }
    description = text
  }
}
