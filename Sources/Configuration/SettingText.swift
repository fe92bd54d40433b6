/// A value that is written as text of a certain form.
protocol SettingText: Hashable, Sendable {
  /// What it looks like, for errors and for the example.
  static var form: String { get }
  var settingText: String { get }
  init(setting text: String) throws(Mistake)
}

extension SettingText {
  static func mistake(_ text: String) -> Mistake { Mistake("must be \(form), not \(Quoted.text(text))") }
}
