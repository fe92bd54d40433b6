import GatewayCore

/// What the core hands out at the end of each turn of its loop.
extension World {
  mutating func endTurn() {
    network.startOver()
    core.flush(into: &network)
    for upstream in upstreams.indices { takeWishes(of: upstream) }
    for upstream in upstreams.indices { listen(toUpstream: upstream) }
    for client in network.dirtyClients { listen(to: client) }
    for client in network.closedClients { isClosed(client) }
    for client in network.dirtyClients { notePatience(with: client) }
    if timeHasPassed { expectNobodyIsWaitedFor() }
    timeHasPassed = false
    for upstream in upstreams.indices {
      oracle.turnEnds(for: upstream, isBacklogged: network.pipes[upstream].isClogged)
    }
    oracle.turn += 1
    turnIsOpen = false
  }

  private mutating func takeWishes(of upstream: Int) {
    oracle.expect(
      network.pipes[upstream].wantsNoConnection == upstreams[upstream].isToBeDisconnected,
      "the connection of upstream \(upstream) was closed, or was not")
    upstreams[upstream].isToBeDisconnected = false
    guard network.pipes[upstream].wantsConnection else { return }
    oracle.expect(upstreams[upstream].state == .closed, "upstream \(upstream) was connected twice")
    upstreams[upstream].state = .connecting
    let limit = Int(oracle.configuration.attemptMilliseconds)
    upstreams[upstream].attemptEndsMilliseconds = limit > 0 ? nowMilliseconds + limit : .max
  }
}
