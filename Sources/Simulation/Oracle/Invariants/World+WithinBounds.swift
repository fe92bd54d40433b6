import GatewayCore

/// Invariant 9, of memory: what the gateway holds for clients never exceeds its bound.
extension World {
  /// Memory for clients is within its bound, and so is memory for their requests, unless no client is left to be closed
  /// for room.
  mutating func expectRoom() {
    let (limit, held) = (oracle.configuration.memoryBytes / 4 * 3, core.clientByteCount)
    let closed = core.counters.clientsClosedForRoom
    if closed > 0 { oracle.coverage.count(.closedForRoom) }
    oracle.expect(
      closed == 0 || oracle.bounds.tightestMemoryBytes < Self.tightBytes,
      "clients had to make room for nothing")
    expectTransportsCounted()
    if core.requestByteCount > oracle.bounds.requestBytes { expectNoneCouldMakeRoom() }
    let arriving = core.arrivingByteCount
    guard limit > 0, held + arriving > limit else { return }
    oracle.expect(
      arriving <= limit / Self.arrivingPart,
      "invariant 9: \(held) bytes are held, and \(arriving) for handshakes")
    for client in clients.open {
      let own = core.heldByteCount(of: clients.all[client].id)
      oracle.expect(own == 0, "invariant 9: \(held) bytes are held, \(own) of them for client \(client)")
    }
  }

  /// Handshakes may hold one of so many parts, whatever is held for clients.
  private static let arrivingPart = 16

  /// Every connection under TLS counts as long as it is there.
  private mutating func expectTransportsCounted() {
    let secured = clients.open.count { channel(of: $0) != nil } * SecureChannel.sessionMemoryBytes
    let counted = core.transportByteCount
    oracle.expect(counted == secured, "connections under TLS hold \(secured) bytes, and count for \(counted)")
    let greeted = clients.greeting.count * SecureChannel.handshakeMemoryBytes
    let arriving = core.arrivingByteCount
    oracle.expect(arriving == greeted, "handshakes hold \(greeted) bytes, and count for \(arriving)")
  }

  private mutating func expectNoneCouldMakeRoom() {
    let asked = core.requestByteCount
    for client in clients.open {
      let own = core.requestByteCount(of: clients.all[client].id)
      let isLittle = own < Oracle.littleAsked
      oracle.expect(isLittle, "invariant 9: \(asked) bytes are asked, \(own) by client \(client)")
    }
  }
}
