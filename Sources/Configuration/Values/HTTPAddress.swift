import Addresses

/// The URL of an HTTP upstream.
package struct HTTPAddress: Hashable, Sendable {
  package let text: String
  /// The URL without user, password and query, which may be secret.
  let shownText: String
  /// The host, with the port if the URL has one.
  private let host: String

  package var isSecure: Bool { text.hasPrefix(Self.secureScheme) }

  var socketAddress: SocketAddress? {
    SocketAddress(parsing: "tcp:" + host)
      ?? SocketAddress(parsing: "tcp:\(host):\(isSecure ? 443 : 80)")
  }

  static let secureScheme = "https://"
  private static let schemes = ["http://", secureScheme]

  /// The message about a mistake does not repeat the text, which may be secret.
  init(setting text: String) throws(Mistake) {
    guard let scheme = Self.schemes.first(where: text.hasPrefix) else {
      throw Mistake("must be a URL that begins with \(Self.schemes[0]) or \(Self.schemes[1])")
    }
    guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw Mistake("must be a URL of visible ASCII characters; others are written as %XX")
    }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard Self.isHost(host) else {
      throw Mistake("must be a URL with a host behind \(scheme), and a port of 1 to 65535 if any")
    }
    guard Self.isBuilt else {
      throw Mistake(
        "must not be a URL: this build has no HTTP upstreams (build with --traits HTTPUpstreams)")
    }
    let path = text.suffix(from: authority.endIndex).prefix { $0 != "?" && $0 != "#" }
    let user = host.startIndex > authority.startIndex ? "…@" : ""
    let query = path.endIndex < text.endIndex ? "?…" : ""
    self.text = text
    self.host = String(host)
    shownText = scheme + user + host + path + query
  }

  private static func isHost(_ text: Substring) -> Bool {
    let hasPort = text.contains(":") && text.last != "]"
    guard case .tcp(_, let port)? = SocketAddress(parsing: "tcp:\(text)\(hasPort ? "" : ":80")") else {
      return false
    }
    return port > 0
  }

  #if HTTPUpstreams
  static let isBuilt = true
  #else
  static let isBuilt = false
  #endif
}
