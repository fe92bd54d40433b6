package import GatewayCore
package import HTTP1

/// Decides whether a client's HTTP request, or its upgrade to WebSocket, is one of a page that may come, and what
/// browsers are told with the answer.
///
/// A site can make a browser send requests to any address, and can have its own name lead to a loopback address; but the
/// browser then says so. Cookies never count, so no answer allows credentials.
package struct BrowserPolicy: Equatable, Sendable {
  /// How long a browser may keep the answer to a preflight.
  private static let preflightSeconds = 600
  /// Request fields that are allowed beyond those that every page may send.
  private static let takenFields = "authorization, content-type, lastword-session, accept"
  private static let mcpFields = ", mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id"

  /// Of Unix sockets, which no browser reaches, every host is right.
  private let isUnix: Bool
  /// Names that lead here, in small letters.
  private let hosts: Set<String>
  private let origins: Set<HTTPOrigin>
  private let letsInEveryOrigin: Bool
  private let speaksMCP: Bool

  /// - Parameters:
  ///   - clients: what is said of the listener.
  ///   - isUnix: it is a Unix socket.
  package init(_ clients: ClientProtocols, isUnix: Bool) {
    self.isUnix = isUnix
    hosts = Set(clients.hosts + ["localhost"])
    origins = Set(clients.origins.compactMap { HTTPOrigin($0) })
    letsInEveryOrigin = clients.origins.contains(ClientProtocols.everyOrigin)
    speaksMCP = clients.mcpPath != nil
  }

  // MARK: Who may come

  /// The origin of the page that asks; nil: the request names none.
  ///
  /// A page whose origin is our own host and port is not let in for that: another program may have had the port before.
  /// - Throws: 421 for a host name that may be forged, 403 for a page that must not come, 400 for repeated fields. The
  ///   error response has the fields of `fields(for: nil)`.
  package func origin(of request: HTTPRequestHead) throws(HTTPFault) -> HTTPOrigin? {
    try checkHost(of: request)
    guard let origin = try request.fields.single("Origin") else {
      try checkSite(of: request)
      return nil
    }
    guard let origin = HTTPOrigin(origin) else {
      throw HTTPFault(.forbidden, "a page must not come that does not say its origin")
    }
    guard letsInEveryOrigin || origins.contains(origin) else {
      throw HTTPFault(.forbidden, "pages of this origin must not come: name it in origins of [[listen]]")
    }
    return origin
  }

  private func checkHost(of request: HTTPRequestHead) throws(HTTPFault) {
    guard let host = request.host, !isUnix, !host.isAddress, !hosts.contains(host.name) else { return }
    throw HTTPFault(
      .misdirected,
      "this host is not known here: ask by address or localhost, or name it in hosts of [[listen]]")
  }

  /// Links, frames and images say no origin.
  private func checkSite(of request: HTTPRequestHead) throws(HTTPFault) {
    guard let site = try request.fields.single("Sec-Fetch-Site"),
      ["cross-site", "same-site"].contains(HTTPText.lowercased(site))
    else { return }
    throw HTTPFault(.forbidden, "a page of another site must not come without saying its origin")
  }

  // MARK: What browsers are told

  /// The fields of every response, besides its own.
  /// - Parameter origin: the page's origin; nil: it is no page's, or one that must not come.
  package func fields(for origin: HTTPOrigin?) -> [(String, String)] {
    allowance(of: origin) + variance("Origin")
      + (origin == nil
        ? [] : [("Access-Control-Expose-Headers", "Retry-After" + (speaksMCP ? ", Mcp-Session-Id" : ""))])
      + Self.usualFields
  }

  /// Whether a browser asks what a page may send, before it does.
  package static func isPreflight(_ request: HTTPRequestHead) -> Bool {
    request.method == "OPTIONS" && !request.fields.values(of: "origin").isEmpty
      && !request.fields.values(of: "access-control-request-method").isEmpty
  }

  /// All fields of a preflight response, which has no content.
  /// - Parameter origin: the page's origin, as `origin(of:)` returns it.
  package func preflightFields(
    of request: HTTPRequestHead, for origin: HTTPOrigin
  ) -> [(String, String)] {
    var fields = allowance(of: origin)
    fields += [
      ("Access-Control-Allow-Methods", speaksMCP ? "POST, GET, DELETE" : "POST"),
      ("Access-Control-Allow-Headers", Self.takenFields + (speaksMCP ? Self.mcpFields : "")),
      ("Access-Control-Max-Age", "\(Self.preflightSeconds)"),
    ]
    // Into a private network leads only what was named.
    if origins.contains(origin),
      request.fields.values(of: "access-control-request-private-network") == ["true"]
    {
      fields.append(("Access-Control-Allow-Private-Network", "true"))
    }
    return fields + variance("Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
      + Self.usualFields
  }

  private func allowance(of origin: HTTPOrigin?) -> [(String, String)] {
    guard let origin else { return [] }
    return [("Access-Control-Allow-Origin", letsInEveryOrigin ? ClientProtocols.everyOrigin : origin.text)]
  }

  /// Where pages may come, no two of them get the same.
  private func variance(_ names: String) -> [(String, String)] {
    origins.isEmpty && !letsInEveryOrigin ? [] : [("Vary", names)]
  }

  private static let usualFields = [
    ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
