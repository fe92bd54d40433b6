package import Addresses
package import GatewayCore
import HotData
import Identity
import LibUV
package import TLS
package import Upstreams

/// What a gateway is started with.
package struct ServerOptions {
  /// One of the places where an upstream's work is done.
  package enum Endpoint {
    case address(SocketAddress)
    /// A child is started there, and spoken to over its standard input and output.
    case command(ChildCommand)
    /// Needs the package trait `HTTPUpstreams`.
    case http(HTTPEndpoint)
    /// A server of the Model Context Protocol, which needs the same trait.
    case mcp(HTTPEndpoint)
    case handler(any RequestHandler, name: String)
    /// Needs the upstream's `tls`.
    case secure(SocketAddress)
  }

  package struct Upstream {
    /// As many as the core's options for it say.
    package var endpoints: [Endpoint]
    /// What people call it.
    package var name = "main"
    /// Each request has a connection or child of its own.
    package var isHard = false
    /// After how long without a word it is asked over TCP whether it is still there; 0: never. HTTP endpoints have
    /// their own.
    package var keepAliveMilliseconds = ServerOptions.usualKeepAliveMilliseconds
    /// What `secure` endpoints are spoken to with.
    package var tls: TLSOutfit?

    package init(_ endpoints: Endpoint...) { self.endpoints = endpoints }
  }

  package static let usualSocketMode: UInt32 = 0o600
  package static let usualKeepAliveMilliseconds = KeepAlive.usualMilliseconds

  package var listen: [SocketAddress]
  /// The permissions of the files of Unix sockets, by listener; those beyond the last are for their owner alone.
  package var socketModes: [UInt32] = []
  /// After how long without a word TCP clients are asked whether they are still there, by listener; 0: never. Those
  /// beyond the last are as usual.
  package var keepAliveMilliseconds: [Int] = []
  /// By listener, what greets its clients; nil, and those beyond the last: without TLS.
  package var tls: [TLSContext?] = []
  /// In the order of the core's options for them.
  package var upstreams: [Upstream]
  /// The core's configuration, which a reload replaces.
  package var core = GatewayConfiguration()
  /// Everything random comes from it.
  package var seed: UInt64

  package init(listen: [SocketAddress], upstreams: [Upstream], seed: UInt64) {
    self.listen = listen
    self.upstreams = upstreams
    self.seed = seed
  }

  /// The options of one of so many loops: an equal part of each common bound.
  func dealt(over loops: Int) -> ServerOptions {
    var dealt = self
    dealt.core = core.dealt(over: loops)
    for place in dealt.upstreams.indices {
      for index in dealt.upstreams[place].endpoints.indices {
        guard case .http(var endpoint) = dealt.upstreams[place].endpoints[index] else { continue }
        endpoint.connections = max(1, endpoint.connections / loops)
        dealt.upstreams[place].endpoints[index] = .http(endpoint)
      }
    }
    return dealt
  }

  /// A digest of the settings that members of a fleet should share: upstreams and routes by name, the number of
  /// listeners, and the credentials of principals.
  var digest: UInt64 { digest(core) }

  /// - Parameter core: what it keeps to by now.
  func digest(_ core: GatewayConfiguration) -> UInt64 {
    var text = upstreams.map(\.name).joined(separator: ",")
    for route in core.routes { text += " \(route.method)" }
    text += " \(core.listeners.count)"
    for line in (core.principals.map(\.digested) + core.issuers.map(\.terms.digested)).sorted() {
      text += "\n\(line)"
    }
    return KeyedHash(seed: 0).hash(0, Array(text.utf8).span)
  }

  func socketMode(_ listener: Int) -> UInt32 {
    socketModes.indices.contains(listener) ? socketModes[listener] : Self.usualSocketMode
  }

  func keepAlive(_ listener: Int) -> KeepAlive? {
    let isSaid = keepAliveMilliseconds.indices.contains(listener)
    return KeepAlive(
      milliseconds: isSaid ? keepAliveMilliseconds[listener] : Self.usualKeepAliveMilliseconds)
  }
}

extension PrincipalOptions {
  /// Its name and credentials, the same in whatever order they were given.
  fileprivate var digested: String {
    let marks =
      tokens.map(\.keptText) + users.map { "user:\($0)" }
      + certificates.map { "\($0.kind.rawValue):\($0.text)" }
      + subjects.map { "\($0.issuer)/\($0.subject)" }
    return ([name, namespace ?? name] + marks.sorted()).joined(separator: " ")
  }
}

extension IssuerOptions.Terms {
  fileprivate var digested: String {
    ([name, issuer, principalClaim, namespaceClaim ?? ""] + audiences.sorted()).joined(separator: " ")
  }
}
