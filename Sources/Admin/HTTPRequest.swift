package import HTTP1

/// A request for the admin pages, with all that decides whether it is allowed.
package struct HTTPRequest: Equatable, Sendable {
  /// The methods that admin pages take.
  static let methods: Set = ["GET", "HEAD", "POST"]

  package let target: HTTPTarget
  /// Whether it is a HEAD request: the response has no content.
  package let isHead: Bool
  /// Whether it is a POST.
  package let isPost: Bool
  /// The `Host` field; nil: a request of HTTP/1.0 without one.
  package let host: HTTPHost?
  /// The origin of the page that made the request, as browsers send it.
  package let origin: String?
  package let fetchSite: String?
  /// Its credential.
  let bearerToken: String?
  /// Whether another request may follow on the connection.
  package let keepsConnection: Bool

  init(_ head: HTTPRequestHead) throws(HTTPFault) {
    guard head.framing == .none else {
      throw .malformed("a request must not have a body, nor Transfer-Encoding")
    }
    target = head.target
    isHead = head.method == "HEAD"
    isPost = head.method == "POST"
    host = head.host
    origin = try head.fields.single("Origin")
    fetchSite = try head.fields.single("Sec-Fetch-Site")
    bearerToken = try head.fields.bearerToken
    keepsConnection = head.keepsConnection
  }
}
