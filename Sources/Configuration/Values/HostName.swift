import HTTP1
import JSONRPC
import TOML

/// The name of a host.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 253
  static let most = 16

  /// The name in small letters.
  package let description: String
}

extension HostName: SettingText {
  static let form = "a host's name of at most \(limitBytes) bytes, without a port"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isName = text.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    guard isName, !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text.lowercased()
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard others.contains(self) else { return }
    throw Mistake("names \(Quoted.text(description)) twice")
  }
}
