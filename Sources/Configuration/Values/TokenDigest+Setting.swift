import Identity

extension TokenDigest: SettingText {
  static let most = PrincipalOptions.mostTokens
  var settingText: String { keptText }

  /// A text that is no digest may be the token itself: the message does not repeat it.
  init(setting text: String) throws(Mistake) {
    guard Self.isBuilt else {
      throw Mistake("must not be given: this build cannot check tokens (build with --traits TLS)")
    }
    guard let digest = TokenDigest(kept: text) else { throw Mistake("must be \(Self.form)") }
    self = digest
  }
}
