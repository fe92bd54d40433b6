import TaskStore

/// Bounds that are for the process, where several loops share them.
extension GatewayConfiguration {
  /// The bounds of one of several loops. Each gets an equal part of a bound for the whole process, so that the sum
  /// holds it. Connections are not divided: the kernel decides to which loop each comes.
  package func dealt(over loops: Int) -> GatewayConfiguration {
    guard loops > 1 else { return self }
    func part(_ whole: Int) -> Int { whole > 0 ? max(1, whole / loops) : whole }
    var dealt = self
    dealt.memoryBytes = part(memoryBytes)
    dealt.payloadBytes = part(payloadBytes)
    dealt.store.tasks = part(store.tasks)
    dealt.store.waiters = part(store.waiters)
    dealt.unauthenticatedConnections = part(unauthenticatedConnections)
    dealt.fleet.parkedBytes = part(fleet.parkedBytes)
    dealt.server.handshakes = part(server.handshakes)
    dealt.issuedPrincipals = part(issuedPrincipals)
    dealt.orders = part(orders)
    dealt.inFlightPerEndpoint = part(inFlightPerEndpoint)
    dealt.waitingPerUpstream = part(waitingPerUpstream)
    dealt.connectingPerEndpoint = part(connectingPerEndpoint)
    dealt.privateUpstreams = part(privateUpstreams)
    for place in upstreams.indices { dealt.upstreams[place] = upstreams[place].dealt(part) }
    return dealt
  }
}

extension UpstreamOptions {
  fileprivate func dealt(_ part: (Int) -> Int) -> UpstreamOptions {
    var dealt = self
    dealt.inFlightPerEndpoint = inFlightPerEndpoint.map(part)
    dealt.inFlightPerConnection = inFlightPerConnection.map(part)
    dealt.waitingRequests = waitingRequests.map(part)
    return dealt
  }
}
