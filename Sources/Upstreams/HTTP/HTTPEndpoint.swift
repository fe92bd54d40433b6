/// Where an upstream is that is asked by HTTP, and how it is asked.
package struct HTTPEndpoint: Hashable, Sendable {
  /// It begins with http:// or https://; whether it leads anywhere, a request tells.
  package var url: String
  /// `Name: value`, sent with every request; one of them replaces ours of its name. None says how a request is laid
  /// out (its length, say), which is decided here.
  package var headers: [String]
  /// Names the header that says how many milliseconds the caller will still wait.
  package var deadlineHeader: String?
  /// A file of trusted certificates, in PEM; nil: the system's.
  package var caFile: String?
  /// The certificate for an endpoint that asks for one.
  package var identity: HTTPIdentity?
  /// How many requests are on their way at once; over HTTP/1.1 each has a connection of its own.
  package var connections: Int
  /// It speaks the Model Context Protocol: heads say what revision a request is of, and what it asks.
  package var isMCP = false

  package init(
    url: String, headers: [String] = [], deadlineHeader: String? = nil, caFile: String? = nil,
    connections: Int
  ) {
    self.url = url
    self.headers = headers
    self.deadlineHeader = deadlineHeader
    self.caFile = caFile
    self.connections = connections
  }

  /// The URL without what may be secret: user, password and query.
  package var name: String {
    guard let start = ["http://", "https://"].first(where: url.hasPrefix) else { return url }
    let rest = url.dropFirst(start.count).prefix { $0 != "?" && $0 != "#" }
    let path = rest.firstIndex(of: "/") ?? rest.endIndex
    let host = rest[..<path].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return start + host + rest[path...]
  }
}

/// A certificate and its key: files in PEM.
package struct HTTPIdentity: Hashable, Sendable {
  let certificate: String
  let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
