import LibUV

/// The URL of an HTTP upstream, and how requests are sent to it.
package struct HTTPEndpoint: Hashable, Sendable {
  /// Begins with http:// or https://; only a request shows whether a server is there.
  package var url: String
  /// `Name: value`, sent with every request, in the place of our own fields of the same name. Fields for the framing of
  /// a request, such as its length, must not be among them.
  package var headers: [String]
  /// The name of the header field for the milliseconds that the caller will still wait; nil: none is sent.
  package var deadlineHeader: String?
  /// A file of trusted certificates, in PEM; nil: the system's.
  package var caFile: String?
  /// The client's certificate and key, for a server that asks for them.
  package var identity: HTTPIdentity?
  /// How many requests may be on their way at once; over HTTP/1.1 each has a connection of its own.
  package var connections: Int
  /// After how long without a word a connection's server is asked whether it is still there; 0: never.
  package var keepAliveMilliseconds = KeepAlive.usualMilliseconds
  /// Whether it speaks the Model Context Protocol: header fields then tell a request's revision and method.
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
