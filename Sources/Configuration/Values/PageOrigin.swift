import GatewayCore
import HTTP1
import TOML

/// An origin of web pages that may connect, or "every origin".
package struct PageOrigin: Hashable, Sendable, CustomStringConvertible {
  static let most = 64
  static let every = PageOrigin(description: ClientProtocols.everyOrigin)

  /// The origin as browsers write it.
  package let description: String

  private init(description: String) { self.description = description }
}

extension PageOrigin: SettingText {
  static let form = "an origin without a path, such as https://app.example.com, or *"
  var settingText: String { description }

  /// The origin that browsers send for pages without one.
  private static let none = "null"
  private static let schemes = ["http", "https"]
  /// Schemes that no page's origin has.
  private static let wrongSchemes = ["ws", "wss", "file"]

  init(setting text: String) throws(Mistake) {
    if text == Self.every.description {
      self = .every
      return
    }
    guard text.lowercased() != Self.none else {
      throw Mistake(
        "must not be \(Quoted.text(text)): pages of files and of closed frames say so, whosever they are")
    }
    guard let origin = HTTPOrigin(text) else { throw Self.mistake(text) }
    try Self.check(origin.scheme, of: text)
    description = origin.text
  }

  /// Checks the scheme. Apps and extensions have schemes of their own, so it cannot be one of a list.
  private static func check(_ scheme: String, of text: String) throws(Mistake) {
    guard !wrongSchemes.contains(scheme) else {
      throw Mistake(
        "must be the origin of a page, which begins with http:// or https://, not \(Quoted.text(text))")
    }
    guard !schemes.contains(scheme), let meant = NearestName.suggestion(for: scheme, among: schemes) else {
      return
    }
    throw Mistake("must be \(form), not \(Quoted.text(text)); did you mean \(Quoted.text(meant + "://"))?")
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard !others.contains(self) else { throw Mistake("names \(Quoted.text(description)) twice") }
    guard !others.isEmpty, self == .every || others.contains(.every) else { return }
    throw Mistake("must not name others beside \(Quoted.text(Self.every.description)), which is every origin")
  }
}
