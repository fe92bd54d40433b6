/// What may change while an upstream's transports run: each reads it when it begins something.
package final class TransportBounds {
  /// A larger answer is none.
  package var messageLimitBytes: Int
  /// How long an attempt to connect may take where nobody else watches over that.
  package var connectMilliseconds: UInt64
  /// Connections to one endpoint that are being opened at once: its backlog may be short.
  package var connectingLimit: Int

  package init(messageLimitBytes: Int, connectMilliseconds: UInt64, connectingLimit: Int) {
    self.messageLimitBytes = messageLimitBytes
    self.connectMilliseconds = connectMilliseconds
    self.connectingLimit = connectingLimit
  }
}

@available(*, unavailable)
extension TransportBounds: Sendable {}
