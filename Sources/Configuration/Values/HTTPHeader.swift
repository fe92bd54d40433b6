/// A header field of every request to an HTTP upstream; its value is secret.
package struct HTTPHeader: Hashable, Sendable {
  package let name: HTTPHeaderName
  package let value: String

  package var line: String { "\(name.description): \(value)" }
}

extension HTTPHeader: SettingText {
  static let most = 64
  static let form = "'Name: value' in one line"
  var settingText: String { line }
  var shownText: String { "\(name.description): …" }

  init(setting text: String) throws(Mistake) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    // A text that is no header field may still be a secret, and is not shown.
    guard parts.count == 2, parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw Mistake("must be \(Self.form)")
    }
    let value = parts[1].trimmingBlanks
    guard !value.isEmpty else { throw Mistake("must be \(Self.form)") }
    name = try HTTPHeaderName(setting: String(parts[0]))
    self.value = value
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
