import GatewayCore

/// What comes to a loop from others.
enum LoopMail: Sendable {
  /// - Parameter life: that of the member of a fleet in which it was decided.
  case batch(PeerBatch, from: Int, life: Int)
  /// Runs there, between events.
  case call(@Sendable (GatewayServer) -> Void)
}
