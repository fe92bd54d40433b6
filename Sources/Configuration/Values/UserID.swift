import Identity

/// A user of this machine, by number.
package struct UserID: Hashable, Sendable {
  static let most = PrincipalOptions.mostUsers

  package let number: UInt32
}

extension UserID: SettingText {
  static let form = "a user's number, from 0 to \(UInt32.max - 1)"
  var settingText: String { String(number) }

  init(setting text: String) throws(Mistake) {
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    // No user can have the last number: it is reserved.
    guard isPlain, let number = UInt32(text), number < .max else { throw Self.mistake(text) }
    self.number = number
  }
}
