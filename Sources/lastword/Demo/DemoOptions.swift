import Addresses
import Configuration
import LibUV

/// The options of a run of the demo.
struct DemoOptions {
  /// The address that its gateway listens on.
  var listen: SocketAddress
  var seed: UInt64
  var ignoresCancellation = false
  /// The configuration of the live page; nil: there is no page.
  var pages: FileConfiguration?

  init(listen: SocketAddress, seed: UInt64) {
    self.listen = listen
    self.seed = seed
  }
}
