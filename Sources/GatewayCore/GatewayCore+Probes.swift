import HotData

extension GatewayCore {
  /// Bytes that a client has still to take.
  package func unsentByteCount(of client: ClientID) -> Int { clients[client.slot].output.byteCount }

  /// Whose connection to an upstream this is; nil: it is for all.
  package func owner(of upstream: UpstreamID) -> ClientID? {
    let client = upstreams[sessions[upstream.slot].upstream].client
    return client < 0 ? nil : ClientID(slot: client)
  }
}
