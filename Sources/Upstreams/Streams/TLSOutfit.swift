package import TLS
package import TLSStreams

/// The TLS context and server name for connections to an upstream. A reload may change the context; open connections
/// keep theirs.
package final class TLSOutfit {
  package var context: TLSContext
  package let scratch: TLSScratch
  /// The name that a certificate has to be for; nil: the host of the address.
  package let serverName: String?

  package init(_ context: TLSContext, serverName: String?, _ scratch: TLSScratch) {
    self.context = context
    self.serverName = serverName
    self.scratch = scratch
  }
}

@available(*, unavailable)
extension TLSOutfit: Sendable {}
