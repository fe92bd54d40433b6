extension GatewayOptions {
  /// Who may reach the addresses that a gateway listens on.
  public enum Audience: Sendable {
    /// Programs on this machine. An address that other machines can reach is the error
    /// ``GatewayError/Code/exposedAddress``, unless clients have to authenticate.
    case loopback

    /// Every machine that can reach the addresses. Without ``GatewayOptions/authentication-swift.property`` every
    /// client is served.
    case network
  }
}
