import Identity

extension IssuedSubject: SettingText {
  static let most = 256
  static let form = "an issuer's name, ':' and 1 to \(IssuedIdentity.mostCharacters) visible ASCII characters"
  var settingText: String { "\(issuer):\(subject)" }

  init(setting text: String) throws(Mistake) {
    guard let colon = text.firstIndex(of: ":") else { throw Self.mistake(text) }
    let subject = String(text[text.index(after: colon)...])
    let isPlain = subject.utf8.allSatisfy { (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) }
    guard isPlain, (1...IssuedIdentity.mostCharacters).contains(subject.utf8.count) else {
      throw Self.mistake(text)
    }
    self.init(issuer: String(text[..<colon]), subject: subject)
  }
}
