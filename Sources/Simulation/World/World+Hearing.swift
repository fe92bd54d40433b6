import GatewayCore
import JSONRPC

/// What clients hear, and that they are closed.
extension World {
  mutating func listen(to client: Int) {
    if let channel = network.inboxes[client].channel { noteComplaint(of: client, over: channel) }
    var bytes: [UInt8] = []
    swap(&bytes, &network.inboxes[client].bytes)
    var start = 0
    let end = bytes.count
    bytes.append(contentsOf: repeatElement(0xff, count: Self.slackBytes))
    while let next = hear(from: start, in: bytes, end: end, by: client) {
      log.add(bytes[start..<next])
      start = next
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.inboxes[client].bytes)
    guard network.inboxes[client].isOpen else { return }
    if network.inboxes[client].isClogged { oracle.coverage.count(.clogged) }
    if network.inboxes[client].isPaused { oracle.coverage.count(.paused) }
    if network.inboxes[client].isPaused, waitsForUpstream(client) == true {
      oracle.coverage.count(.waitedForUpstream)
    }
    let unsent = core.unsentByteCount(of: clients.all[client].id)
    oracle.expectWithinBounds(unsent: unsent, of: client)
    let shouldPause = unsent > oracle.bounds.clientOutputSoftBytes
    oracle.expect(
      !shouldPause || network.inboxes[client].isPaused, "client \(client) does not read, and is read from")
  }

  /// The next that a client got, and where it ends.
  private mutating func hear(from start: Int, in bytes: [UInt8], end: Int, by client: Int) -> Int? {
    if oracle.clients[client].speaksHTTP, bytes[start..<end].first == UInt8(ascii: "H") {
      return oracle.heardHTTP(from: start, in: bytes[..<end], by: client)
    }
    // Before a client's first byte was handled the gateway does not know its framing. Then it can hear only that it
    // took too long to log in, or that it was ended.
    let mayHear = [RPCError.unauthenticated, .shuttingDown].contains { oracle.mayHear($0.code, client) }
    let mayBeLine = mayHear && bytes[start..<end].first == UInt8(ascii: "{")
    let framing = mayBeLine ? .lines : clients.all[client].framing
    guard let message = message(from: start, in: bytes[..<end], framing) else {
      return nil
    }
    oracle.heard(message.body, in: bytes, by: client)
    return message.end
  }

  /// The next whole message that a client got, and where it ends.
  func message(
    from start: Int, in bytes: ArraySlice<UInt8>, _ framing: Framing
  ) -> (body: Range<Int>, end: Int)? {
    guard let lineEnd = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    if framing == .lines { return (start..<lineEnd, lineEnd + 1) }
    let count = [UInt8].firstNumber(in: bytes[start..<lineEnd]) ?? 0
    let body = lineEnd + 3
    let isHeader = Template("Content-Length: ~\r").matches(count, bytes[start..<lineEnd])
    guard isHeader, count > 0 else {
      oracle.complain("somebody got a wrong header: \(oracle.text(bytes[start..<lineEnd]))")
      return nil
    }
    guard body + count <= bytes.endIndex else { return nil }
    return (body..<body + count, body + count)
  }

  /// The gateway closed a connection: it reads nothing from it, or every reply is out.
  mutating func isClosed(_ client: Int) {
    if network.inboxes[client].isClogged {
      oracle.coverage.count(.closedUnread)
    } else {
      closesRead(client)
    }
    if let channel = network.inboxes[client].channel { closeSecurely(client, over: channel) }
    log.add(client)
    clients.close(client)
    oracle.isGone(client)
  }

  /// The client has everything it was sent: why was it closed?
  private mutating func closesRead(_ client: Int) {
    let view = clients.all[client]
    // For a moment it was more than the bound, or it waited in a batch.
    let bounds = oracle.bounds
    let mayBeTooMuch = bounds.mayCloseUnread
    if view.timeouts.isOverdue {
      if !mayBeTooMuch && mustHearOfHalf(client) {
        oracle.expect(oracle.hasHeardOfHalf(client), "client \(client) was given up without a word")
        oracle.coverage.count(.toldOfHalf)
      }
      let isEvicted = oracle.clients[client].nullsDue[RPCError.shuttingDown.code] != nil
      let mayGoUntold = isEvicted || mayBeTooMuch || view.isTurnedAway || view.timeouts.wasOverdue
      if oracle.clients[client].person == .unknown && !mayGoUntold {
        let hasHeard = oracle.clients[client].nullsHeard[RPCError.unauthenticated.code, default: 0] > 0
        oracle.expect(hasHeard, "client \(client) is not known, and was given up without a word")
      }
      if isEvicted && !mayBeTooMuch {
        let hasHeard = oracle.clients[client].nullsHeard[RPCError.shuttingDown.code, default: 0] > 0
        oracle.expect(hasHeard, "client \(client) was evicted without a word")
      }
      return oracle.coverage.count(.givenUp)
    }
    if oracle.clients[client].isLeaving {
      return mayBeTooMuch ? () : expectEverythingHeard(client, because: "and its own upstream was lost")
    }
    if view.isTurnedAway { return oracle.coverage.count(.turnedAway) }
    oracle.expect(view.finHasArrived || mayBeTooMuch, "client \(client) was closed for no reason")
    guard view.finHasArrived else { return }
    oracle.coverage.count(.closedDone)
    guard !mayBeTooMuch else { return }
    oracle.expectAllAnswered(client, because: "and it was closed")
    oracle.expectNotificationsSent(by: client)
    // Given up as the time passed, it hears nothing of what upstream said after that.
    if !timeHasPassed { oracle.expectAllRelayed(to: client) }
  }

  func expectEverythingHeard(_ client: Int, because reason: String) {
    oracle.expectAllAnswered(client, because: reason)
    oracle.expectAllRelayed(to: client)
  }
}
