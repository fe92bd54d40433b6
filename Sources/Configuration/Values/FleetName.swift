/// The name of a fleet, or of a user of etcd.
package struct FleetName: Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

extension FleetName: SettingText {
  static let form = "1 to 64 letters, digits, '-', '_' and '.'"
  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let isName = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
        || "-_.".utf8.contains($0)
    }
    guard isName, (1...64).contains(text.utf8.count) else { throw Self.mistake(text) }
    description = text
  }
}
