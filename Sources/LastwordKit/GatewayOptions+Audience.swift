extension GatewayOptions {
  /// Who may reach the addresses that a gateway listens on.
  public enum Audience: Sendable {
    /// Programs on this machine: an address that others can reach is a ``GatewayError``.
    case loopback

    /// Everybody who gets there. They are served, for clients do not log in.
    case network
  }
}
