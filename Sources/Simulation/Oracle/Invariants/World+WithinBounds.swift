import GatewayCore

/// Invariant 9, of memory: what the gateway holds for clients never exceeds its bound.
extension World {
  /// What is held for clients is within its bound, and so is what their requests ask, unless no client is left that
  /// could make room.
  mutating func expectRoom() {
    let (limit, held) = (oracle.configuration.memoryBytes / 4 * 3, core.clientByteCount)
    let closed = core.counters.clientsClosedForRoom
    if closed > 0 { oracle.coverage.count(.closedForRoom) }
    oracle.expect(
      closed == 0 || oracle.bounds.tightestMemoryBytes < Self.tightBytes,
      "clients had to make room for nothing")
    if core.requestByteCount > oracle.bounds.requestBytes { expectNoneCouldMakeRoom() }
    guard limit > 0, held > limit else { return }
    for client in clients.open {
      let own = core.heldByteCount(of: clients.all[client].id)
      oracle.expect(own == 0, "invariant 9: \(held) bytes are held, \(own) of them for client \(client)")
    }
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
