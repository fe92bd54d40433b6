extension GatewayOptions {
  /// Whether clients are asked who they are.
  public enum Authentication: Sendable {
    /// Whoever comes is served; all share their keys.
    case none

    /// These only, 1 to 1,024 of them. A client that comes over a Unix socket is known by its user; any other says who
    /// it is in its first message, `lastword.authenticate` with `{"token": …}`.
    ///
    /// Until then it has five seconds, three attempts and messages of 16 KiB, and there are 1,000 places for such
    /// clients. Anything but that message and `lastword.ping` is answered -32087; what a principal may not is answered
    /// -32088. Tokens cross the network as they are: where others can listen in, have TLS end in front of the gateway.
    case required([Principal])
  }
}
