extension GatewayOptions {
  /// Whether clients have to authenticate.
  public enum Authentication: Sendable {
    /// They need not: every client is served, and all share their keys.
    case none

    /// Only these principals are served, 1 to 1,024 of them. The kernel tells the user of a client that connects to a
    /// Unix socket. Any other client authenticates with the method `lastword.authenticate` and the params
    /// `{"token": …}`, or, over HTTP and WebSocket, with the field `Authorization: Bearer TOKEN`.
    ///
    /// Until it has authenticated, a connection has 5 seconds, 3 attempts, and messages of at most 16 KiB. At most
    /// 1,000 connections may be in that state. Until then every method but `lastword.authenticate` and `lastword.ping`
    /// is answered -32087. A request that its principal may not make is answered -32088. The gateway does not encrypt
    /// tokens: where others can read the network, put a proxy that terminates TLS in front of it.
    case required([Principal])
  }
}
