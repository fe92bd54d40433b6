import Addresses
import Configuration
import LibUV

/// What a run of the demo is started with.
struct DemoOptions {
  /// Where its gateway listens.
  var listen: SocketAddress
  var seed: UInt64
  var ignoresCancellation = false
  /// With an address of the live page; nil: there is none.
  var pages: FileConfiguration?

  init(listen: SocketAddress, seed: UInt64) {
    self.listen = listen
    self.seed = seed
  }
}
