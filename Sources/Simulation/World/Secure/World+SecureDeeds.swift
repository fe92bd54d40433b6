import GatewayCore
import TLS

/// What else clients under TLS do and hear, and how they end.
extension World {
  // MARK: What else a client does

  mutating func cutOff(_ client: Int) -> Bool {
    guard let channel = channel(of: client), clients.isThere(client), !clients.all[client].isGone,
      !clients.all[client].hasFinished
    else { return false }
    clients.all[client].hasFinished = true
    channel.isCutOff = true
    return true
  }

  mutating func alter(_ client: Int, _ place: Int) -> Bool {
    guard let channel = channel(of: client), clients.isThere(client) else { return false }
    channel.seal(&clients.all[client])
    return channel.alter(place)
  }

  mutating func changeKeys(of client: Int) -> Bool {
    guard let channel = channel(of: client), clients.isThere(client), !clients.all[client].isGone else {
      return false
    }
    channel.seal(&clients.all[client])
    return channel.changeKeys()
  }

  // MARK: What clients hear

  mutating func readSecurely(_ client: Int, at id: ClientID, over channel: SecureChannel) {
    guard channel.goOnWriting() else { return }
    network.inboxes[client].isClogged = false
    core.clientBecameWritable(id)
  }

  mutating func noteComplaint(of client: Int, over channel: SecureChannel) {
    if let complaint = channel.complaint { oracle.complain("client \(client): \(complaint)") }
  }

  /// The gateway closes the channel: all its bytes, and its `close_notify`, reach a client that reads.
  mutating func closeSecurely(_ client: Int, over channel: SecureChannel) {
    defer { network.inboxes[client].channel = nil }
    guard !clients.all[client].isGone else { return }
    if channel.wire.isWriting { oracle.coverage.count(.lastWordsUnderTLS) }
    channel.close()
    noteComplaint(of: client, over: channel)
  }

  mutating func expectAllHeardUnderTLS() {
    for client in clients.open {
      guard let channel = channel(of: client), !clients.all[client].isGone else { continue }
      channel.expectAllHeard()
      noteComplaint(of: client, over: channel)
    }
  }

  // MARK: Once faults have stopped

  /// Handshakes go on, and connections that were altered end.
  func nextGoodDeed(of client: Int, over channel: SecureChannel) -> Action? {
    let view = clients.all[client]
    let owesFIN = view.hasFinished && !channel.finHasArrived && !channel.session.engine.peerHasEnded
    let hasMore = channel.hasOnTheWay || channel.maySpeak && !channel.hasSaidEnd && view.hasUnsealed
    if hasMore || owesFIN { return .deliver(client: client, bytes: Action.everything) }
    let isStuck = !view.isOpen || view.unreceived > 0
    return isStuck && !view.hasFinished ? .cutOff(client: client) : nil
  }
}
