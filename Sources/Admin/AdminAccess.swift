import Addresses
import HTTP1
import LibUV

/// Decides whether a request is one of somebody who may see the admin pages, or of another page in their browser.
///
/// A site can make a browser send requests to any address, and can have its own name lead to a loopback address; but the
/// browser then says so.
struct AdminAccess {
  /// Of Unix sockets, which no browser reaches, every host is right.
  let isUnix: Bool
  /// Names that lead here, in small letters.
  let hosts: Set<String>

  init(_ options: AdminOptions) {
    if case .unix = options.address { isUnix = true } else { isUnix = false }
    hosts = Set(options.hosts.map { $0.lowercased() } + ["localhost"])
  }

  func fault(of request: HTTPRequest) -> HTTPFault? {
    if let host = request.host, !isUnix, !host.isAddress, !hosts.contains(host.name) {
      return HTTPFault(
        .misdirected, "this host is not known here: ask by address or localhost, or name it in [admin] hosts")
    }
    if let origin = request.origin, origin.lowercased() != request.host.map({ "http://\($0.text)" }) {
      return HTTPFault(.forbidden, "a page of another origin must not ask")
    }
    if ["cross-site", "same-site"].contains(request.fetchSite) {
      return HTTPFault(.forbidden, "another site must not ask: type the address instead of following a link")
    }
    return nil
  }
}
