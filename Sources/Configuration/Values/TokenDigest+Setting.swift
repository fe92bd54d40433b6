import Identity

extension TokenDigest: SettingText {
  static let most = 16
  private static let prefix = "sha256:"
  static let form = "\(prefix) and 64 hexadecimal digits, as lastword token prints them"
  var settingText: String { Self.prefix + hexadecimal }

  /// What is none may be the token itself, and is not repeated.
  init(setting text: String) throws(Mistake) {
    guard Self.isBuilt else {
      throw Mistake("must not be given: this build cannot check tokens (build with --traits TLS)")
    }
    guard text.hasPrefix(Self.prefix),
      let digest = TokenDigest(hexadecimal: String(text.dropFirst(Self.prefix.count)))
    else {
      throw Mistake("must be \(Self.form)")
    }
    self = digest
  }
}
