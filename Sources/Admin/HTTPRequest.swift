package import HTTP1

/// A request for the admin pages, with all that decides whether it is allowed.
package struct HTTPRequest: Equatable, Sendable {
  /// What admin pages are asked by.
  static let methods: Set = ["GET", "HEAD", "POST"]

  package let target: HTTPTarget
  /// Only what would come before the content is wanted.
  package let isHead: Bool
  /// Something is to be done.
  package let isPost: Bool
  /// Nil where HTTP/1.0 says none.
  package let host: HTTPHost?
  /// The page that the request was made by, as browsers say it.
  package let origin: String?
  package let fetchSite: String?
  /// Its credential.
  let bearerToken: String?
  /// Another request may follow.
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
