/// The name of a claim, or its expected value.
package struct ClaimText: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 1_024
  /// The most values for one claim.
  static let most = 16

  package let description: String
}

extension ClaimText: SettingText {
  static let form = "1 to \(limitBytes) visible ASCII characters"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isPlain = text.utf8.allSatisfy { (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) }
    guard isPlain, !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text
  }
}
