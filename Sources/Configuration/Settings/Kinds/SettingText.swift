import TOML

/// A value that is written as text of a certain form.
protocol SettingText: Hashable, Sendable {
  /// The description of the form, for errors and for the example.
  static var form: String { get }
  var settingText: String { get }
  /// The text without secrets.
  var shownText: String { get }
  init(setting text: String) throws(Mistake)
  /// Throws if it may not stand in a list behind these others.
  func checkPlace(behind others: [Self]) throws(Mistake)
}

extension SettingText {
  var shownText: String { settingText }

  func checkPlace(behind others: [Self]) throws(Mistake) {}

  static func mistake(_ text: String) -> Mistake { Mistake("must be \(form), not \(Quoted.text(text))") }

  static func list(_ texts: [String]) throws(Mistake) -> [Self] {
    var items: [Self] = []
    for (index, text) in texts.enumerated() {
      do throws(Mistake) {
        let item = try Self(setting: text)
        try item.checkPlace(behind: items)
        items.append(item)
      } catch {
        throw Mistake(error.message, item: index)
      }
    }
    return items
  }
}
