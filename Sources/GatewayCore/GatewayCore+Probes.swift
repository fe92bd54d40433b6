import HotData

extension GatewayCore {
  /// Bytes that a client has still to take.
  package func unsentByteCount(of client: ClientID) -> Int { clients[client.slot].output.byteCount }
}
