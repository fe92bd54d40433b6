import Addresses
import HTTP1
import LibUV
import Secrets

/// Decides whether a request may see the admin pages, and does not come from another site's page in a browser.
///
/// A site can make a browser send requests to any address, and can let its own name lead to a loopback address. The
/// browser's header fields show both.
struct AdminAccess {
  /// Whether the address is a Unix socket: no browser can reach it, so every host is allowed.
  let isUnix: Bool
  /// The allowed names of this host, in small letters.
  let hosts: Set<String>
  /// The digest of the token that a request has to have; nil: it needs none.
  private let tokenDigest: [UInt8]?

  init(_ options: AdminOptions) {
    if case .unix = options.address { isUnix = true } else { isUnix = false }
    hosts = Set(options.hosts.map { $0.lowercased() } + ["localhost"])
    tokenDigest = options.tokenDigest
  }

  /// - Parameter isOpen: whether the page needs no token.
  func fault(of request: HTTPRequest, isOpen: Bool = true) -> HTTPFault? {
    strangeness(of: request) ?? (isOpen || isKnown(request) ? nil : Self.unknown)
  }

  /// The answer to every wrong token: it does not say what is wrong.
  private static let unknown = HTTPFault(
    .unauthorized, "this page takes a token: Authorization: Bearer TOKEN")

  /// Whether clients are known: by a token, or as the owner of the Unix socket.
  var isGuarded: Bool { isUnix || tokenDigest != nil }

  static let unguarded = HTTPFault(
    .forbidden, "this is for those only who have a token: set [admin] token, or use a unix: address")

  private func isKnown(_ request: HTTPRequest) -> Bool {
    guard let tokenDigest else { return true }
    guard let token = request.bearerToken, let digest = Digest.sha256(Array(token.utf8)) else { return false }
    return isEqualInConstantTime(digest, tokenDigest)
  }

  /// Something may stand before the pages that speaks TLS. Then the browser says that it is the same origin.
  private func isOwn(_ origin: String, of request: HTTPRequest) -> Bool {
    guard let host = request.host else { return false }
    if origin == "http://\(host.text)" { return true }
    return origin == "https://\(host.text)" && request.fetchSite == "same-origin"
  }

  private func strangeness(of request: HTTPRequest) -> HTTPFault? {
    if let host = request.host, !isUnix, !host.isAddress, !hosts.contains(host.name) {
      return HTTPFault(
        .misdirected, "this host is not known here: ask by address or localhost, or name it in [admin] hosts")
    }
    if let origin = request.origin?.lowercased(), !isOwn(origin, of: request) {
      return HTTPFault(.forbidden, "a page of another origin must not ask")
    }
    if ["cross-site", "same-site"].contains(request.fetchSite) {
      return HTTPFault(.forbidden, "another site must not ask: type the address instead of following a link")
    }
    return nil
  }
}
