import TOML

/// A variable of a child's environment; its value may be secret.
package struct EnvironmentEntry: Hashable, Sendable {
  package let name: String
  /// The value; nil: the one in the gateway's own environment.
  package let value: String?

  /// - Parameter environment: the gateway's own.
  /// - Returns: "NAME=VALUE", or nil if the gateway has no such variable.
  package func assignment(in environment: [String: String]) -> String? {
    (value ?? environment[name]).map { "\(name)=\($0)" }
  }
}

extension EnvironmentEntry: SettingText {
  static let most = 256
  static let form = "'NAME=VALUE', or 'NAME' for the value that lastword has"
  var settingText: String { value.map { "\(name)=\($0)" } ?? name }
  var shownText: String { value == nil ? name : "\(name)=…" }

  init(setting text: String) throws(Mistake) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = parts.first.map(String.init) ?? ""
    value = parts.count == 2 ? String(parts[1]) : nil
    // A text that is no name may be a secret: the message does not repeat it.
    guard value == nil ? Self.isName(name) : !name.isEmpty else { throw Mistake("must be \(Self.form)") }
  }

  private static func isName(_ text: String) -> Bool {
    let isBegun = text.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    return isBegun && text.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard others.contains(where: { $0.name == name }) else { return }
    throw Mistake("names \(Quoted.text(name)) twice")
  }
}
