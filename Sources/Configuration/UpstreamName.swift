/// What routes call an upstream.
package struct UpstreamName: Hashable, Sendable, CustomStringConvertible {
  static let limitBytes = 64

  package let description: String
}

extension UpstreamName: SettingText {
  static let form = "1 to \(limitBytes) letters, digits, '-', '_' or '.'"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isPlain, !text.isEmpty, text.utf8.count <= Self.limitBytes else { throw Self.mistake(text) }
    description = text
  }
}
