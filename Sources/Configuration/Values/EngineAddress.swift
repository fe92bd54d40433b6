/// The URL of a fleet's engine.
package struct EngineAddress: Hashable, Sendable {
  /// The URL without a slash at its end.
  package let url: String

  var isSecure: Bool { url.hasPrefix(HTTPAddress.secureScheme) }
}

extension EngineAddress: SettingText {
  static let form = "etcd:http://HOST:PORT or etcd:https://HOST:PORT"
  private static let scheme = "etcd:"
  var settingText: String { Self.scheme + url }

  init(setting text: String) throws(Mistake) {
    guard text.hasPrefix(Self.scheme) else { throw Self.mistake(text) }
    let address = try HTTPAddress(setting: String(text.dropFirst(Self.scheme.count)))
    guard address.text == address.shownText else { throw Self.mistake(Self.scheme + address.shownText) }
    url = address.text.hasSuffix("/") ? String(address.text.dropLast()) : address.text
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard others.contains(self) else { return }
    throw Mistake("names \(settingText) twice")
  }
}
