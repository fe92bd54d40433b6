import Identity

extension CertificateName: SettingText {
  static let most = 16
  static let form =
    "dns:, uri:, email: or subject: and what a certificate says, or sha256: and its fingerprint"
  var settingText: String { "\(kind.rawValue):\(text)" }

  init(setting text: String) throws(Mistake) {
    guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else {
      throw Self.mistake(text)
    }
    let name = String(text[text.index(after: colon)...])
    let isFit = kind != .sha256 || TokenDigest(hexadecimal: name) != nil
    guard isFit, !name.isEmpty, name.utf8.count <= SettingLimit.nameBytes else { throw Self.mistake(text) }
    self.init(kind, name)
  }
}
