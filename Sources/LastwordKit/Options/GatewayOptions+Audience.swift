extension GatewayOptions {
  /// Who may reach the addresses that a gateway listens on.
  public enum Audience: Sendable {
    /// Programs on this machine: an address that others can reach is a ``GatewayError``, unless clients are asked who
    /// they are.
    case loopback

    /// Everybody who gets there. Without ``GatewayOptions/authentication-swift.property`` they are served.
    case network
  }
}
