import GatewayCore

/// What the core hands out at the end of each turn of its loop.
extension World {
  mutating func endTurn() {
    network.startOver()
    core.flush(into: &network)
    takeWishes()
    listenForUpstream()
    for client in network.dirtyClients { listen(to: client) }
    for client in network.closedClients { isClosed(client) }
    for client in network.dirtyClients { notePatience(with: client) }
    if timeHasPassed { expectNobodyIsWaitedFor() }
    timeHasPassed = false
    oracle.isBacklogged = network.upstreamIsClogged
    if !oracle.isBacklogged { oracle.lastClean = oracle.event }
    turnIsOpen = false
  }

  private mutating func takeWishes() {
    oracle.expect(
      network.wantsNoConnection == expectsDisconnect, "the upstream connection was closed, or was not")
    expectsDisconnect = false
    guard network.wantsConnection else { return }
    oracle.expect(upstream.state == .closed, "an upstream was connected twice")
    upstream.state = .connecting
  }
}
