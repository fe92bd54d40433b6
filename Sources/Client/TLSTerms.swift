package import TLS
import TLSStreams

/// A client's TLS context, and the server name that it expects.
package final class TLSTerms {
  let context: TLSContext
  /// The name or address that the certificate has to be for.
  let name: String
  let scratch = TLSScratch()

  package init(_ context: TLSContext, name: String) {
    self.context = context
    self.name = name
  }
}

@available(*, unavailable)
extension TLSTerms: Sendable {}
