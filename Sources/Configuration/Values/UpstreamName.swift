import HTTP1
import JSONRPC

/// The name of an upstream, by which routes refer to it.
package struct UpstreamName: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 64

  package let description: String
}

extension UpstreamName: SettingText {
  static let form = "1 to \(limitBytes) letters, digits, '-', '_' or '.'"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    guard isPlain, !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text
  }
}
