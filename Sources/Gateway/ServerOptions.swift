package import GatewayCore
package import LibUV
package import Upstreams

/// What a gateway is started with.
package struct ServerOptions {
  package enum Upstream {
    case address(SocketAddress)
    case handler(any RequestHandler, name: String)
  }

  package var listen: [SocketAddress]
  package var upstream: Upstream
  package var core = GatewayConfiguration()
  /// Once it drains, the server gives what still runs this long.
  package var drainMilliseconds: UInt64 = 5_000
  /// Everything random comes from it.
  package var seed: UInt64

  package init(listen: [SocketAddress], upstream: Upstream, seed: UInt64) {
    self.listen = listen
    self.upstream = upstream
    self.seed = seed
  }
}
