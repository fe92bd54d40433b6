/// A variable of a child's environment; its value may be secret.
package struct EnvironmentEntry: Hashable, Sendable {
  package let name: String
  package let value: String

  package var assignment: String { "\(name)=\(value)" }
}

extension EnvironmentEntry: SettingText {
  static let most = 256
  static let form = "'NAME=VALUE'"
  var settingText: String { assignment }
  var shownText: String { "\(name)=…" }

  init(setting text: String) throws(Mistake) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { throw Mistake("must be \(Self.form)") }
    name = String(parts[0])
    value = String(parts[1])
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard others.contains(where: { $0.name == name }) else { return }
    throw Mistake("names \(Quoted.text(name)) twice")
  }
}
