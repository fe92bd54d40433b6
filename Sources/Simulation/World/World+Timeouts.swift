import GatewayCore
import JSONRPC

/// Clients that the gateway gives up: they sent nothing, no whole message, or read nothing, for too long.
extension World {
  /// Time has passed: some may be given up now, whatever they do before the turn ends.
  mutating func noteOverdue() {
    for client in clients.open {
      if oracle.clients[client].person == .unknown {
        noteOverdueUnknown(client)
        continue
      }
      let isHalf = mayBeGivenUpInMessage(client)
      let isOther = mayBeGivenUpOtherwise(client)
      if isHalf { oracle.mayBeGivenUpInMessage(client) }
      if isHalf { clients.all[client].timeouts.isOverdueForRequest = clients.all[client].isMidRequest }
      if isOther { clients.all[client].timeouts.isOverdueOtherwise = true }
      if isHalf || isOther { clients.all[client].timeouts.isOverdue = true }
    }
  }

  /// A client that has not authenticated has so long in all, and no other timeout.
  private mutating func noteOverdueUnknown(_ client: Int) {
    let connected = clients.all[client].timeouts.connectedMilliseconds
    guard isPast(connected, oracle.bounds.authenticateMilliseconds.lowerBound) else { return }
    oracle.clients[client].nullsAllowed[RPCError.unauthenticated.code] = 1
    clients.all[client].timeouts.isOverdue = true
    clients.all[client].timeouts.isOverdueOtherwise = true
  }

  private func mayBeGivenUpInMessage(_ client: Int) -> Bool {
    let since = clients.all[client].timeouts.midMessageSinceMilliseconds
    return isPast(since, oracle.bounds.messageMilliseconds.lowerBound)
  }

  private func mayBeGivenUpOtherwise(_ client: Int) -> Bool {
    let (bounds, view) = (oracle.bounds, clients.all[client])
    let timeouts = view.timeouts
    return !view.hadFirstLine
      && isPast(timeouts.connectedMilliseconds, bounds.firstByteMilliseconds.lowerBound)
      || isPast(timeouts.lastMessageMilliseconds, bounds.idleMilliseconds.lowerBound)
      || isPast(timeouts.stalledSinceMilliseconds, bounds.stallMilliseconds.lowerBound)
  }

  /// Whether a client that was given up was so in the middle of a message, whatever else it was waited for.
  func mustHearOfHalf(_ client: Int) -> Bool {
    let view = clients.all[client]
    return oracle.clients[client].mayHearOfHalf && !view.timeouts.isOverdueOtherwise
      && view.timeouts.isOverdueForRequest && view.isMidRequest && !view.finHasArrived && !view.isTurnedAway
  }

  /// After time has passed: nobody is waited for longer than that.
  mutating func expectNobodyIsWaitedFor() {
    for client in clients.open {
      clients.all[client].timeouts.forgetOverdue()
      oracle.clients[client].parseErrorsBeforeHalf = nil
      let view = clients.all[client]
      guard oracle.clients[client].person != .unknown else {
        let isLate = isPast(view.timeouts.connectedMilliseconds, oracle.bounds.authenticateMilliseconds)
        oracle.expect(!isLate, "client \(client) never said who it is, and is still waited for")
        continue
      }
      guard !view.finHasArrived, !view.isTurnedAway, !network.inboxes[client].isPaused else { continue }
      let isSilent =
        oracle.clients[client].kind == .stream && view.received == 0
        && isPast(view.timeouts.connectedMilliseconds, oracle.bounds.firstByteMilliseconds)
      oracle.expect(!isSilent, "client \(client) never sent a byte, and is still waited for")
      let isHalf = isPast(view.timeouts.surelyMidMessageSinceMilliseconds, oracle.bounds.messageMilliseconds)
      oracle.expect(
        !isHalf || !view.isMidRequest, "client \(client) is still waited for in the middle of a message")
    }
  }

  private func isPast(_ since: Int?, _ limit: Int) -> Bool {
    guard let since, limit < .max else { return false }
    return nowMilliseconds >= since + limit
  }

  private func isPast(_ since: Int?, _ limits: ClosedRange<Int>) -> Bool {
    isPast(since, limits.upperBound)
  }

  /// What this turn changed in how long the gateway waits for a client.
  mutating func noteTimeouts(with client: Int) {
    guard clients.isOpen(client) else { return }
    let inbox = network.inboxes[client]
    let view = clients.all[client]
    clients.all[client].timeouts.turnEnded(
      wasPaused: inbox.wasPaused,
      isStalled: inbox.isClogged && (inbox.isPaused || view.finHasArrived || view.isTurnedAway),
      hasTaken: inbox.hasTaken, at: nowMilliseconds)
  }
}
