package import Addresses
package import GatewayCore
import LibUV
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
    case handler(any RequestHandler, name: String)
  }

  package struct Upstream {
    /// As many as the core's options for it say.
    package var endpoints: [Endpoint]
    /// What people call it.
    package var name = "main"
    /// Each request has a connection or child of its own.
    package var isHard = false

    package init(_ endpoints: Endpoint...) { self.endpoints = endpoints }
  }

  package static let usualSocketMode: UInt32 = 0o600

  package var listen: [SocketAddress]
  /// The permissions of the files of Unix sockets, by listener; those beyond the last are for their owner alone.
  package var socketModes: [UInt32] = []
  /// In the order of the core's options for them.
  package var upstreams: [Upstream]
  package var core = GatewayConfiguration()
  /// Once it drains, the server gives what still runs this long.
  package var drainMilliseconds: UInt64 = 5_000
  /// What is read from one connection before it is the others' turn.
  package var turnBytes = EventLoop.defaultTurnBytes
  /// How long what clients sent is worked on, and then what was left over before, until others get their turn.
  package var turnMilliseconds = TurnClock.usualMilliseconds
  /// Everything random comes from it.
  package var seed: UInt64

  package init(listen: [SocketAddress], upstreams: [Upstream], seed: UInt64) {
    self.listen = listen
    self.upstreams = upstreams
    self.seed = seed
  }
}
