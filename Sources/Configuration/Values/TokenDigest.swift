import Secrets
import TOML

/// What a bearer token is held against: its SHA-256. The token itself stands nowhere.
package struct TokenDigest: Hashable, Sendable {
  package let bytes: [UInt8]

  static var isBuilt: Bool { Digest.isAvailable }
}

extension TokenDigest: SettingText {
  static let form = "the SHA-256 of a token, as 64 hexadecimal digits"
  /// It may be shown: from it nobody gets the token, which is random.
  var settingText: String { Hexadecimal.text(of: bytes) }

  /// What is none may be the token itself, and is not repeated.
  init(setting text: String) throws(Mistake) {
    guard Self.isBuilt else {
      throw Mistake("must not be given: this build cannot check tokens (build with --traits TLS)")
    }
    guard let bytes = Hexadecimal.bytes(of: text), bytes.count == Digest.count else {
      throw Mistake("must be \(Self.form)")
    }
    self.bytes = bytes
  }
}
