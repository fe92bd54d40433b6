import Identity

extension TokenDigest: SettingText {
  static let most = 16
  private static let prefix = "sha256:"
  static let form = "\(prefix) and 64 hexadecimal digits, as lastword token prints them"
  var settingText: String { Self.prefix + hexadecimal }

  init(setting text: String) throws(Mistake) {
    guard text.hasPrefix(Self.prefix),
      let digest = TokenDigest(hexadecimal: String(text.dropFirst(Self.prefix.count)))
    else {
      // What stands there may be the token itself: it is not shown.
      throw Mistake("must be \(Self.form); it is not shown, for it may be a token")
    }
    self = digest
  }
}
