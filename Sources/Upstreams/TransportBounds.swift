/// The bounds of an upstream's transports. They may change while the transports run, and count for what begins later.
package final class TransportBounds {
  /// The longest answer.
  package var messageLimitBytes: Int
  /// How long an attempt to connect may take, where the core does not bound it.
  package var connectMilliseconds: UInt64
  /// How many connections to one endpoint may be opened at once, as its backlog may be short.
  package var connectingLimit: Int

  package init(messageLimitBytes: Int, connectMilliseconds: UInt64, connectingLimit: Int) {
    self.messageLimitBytes = messageLimitBytes
    self.connectMilliseconds = connectMilliseconds
    self.connectingLimit = connectingLimit
  }
}

@available(*, unavailable)
extension TransportBounds: Sendable {}
