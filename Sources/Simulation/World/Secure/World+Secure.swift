import GatewayCore
import JSONRPC
import TLS

/// Clients under TLS: what arrives of them is ciphertext, and the core hears what the gateway's session makes of it.
extension World {
  func channel(of client: Int) -> SecureChannel? {
    client < network.inboxes.count ? network.inboxes[client].channel : nil
  }

  /// The core hears of it once the handshake is over.
  mutating func connectSecurely(_ client: Int, _ greeting: SecureChannel.Greeting) -> Bool {
    guard clients.isNew(client), let papers = unsafe SimulatedPapers.all,
      let channel = try? SecureChannel(client, greeting, papers)
    else { return false }
    log.add(client)
    clients.greet(client, greeting.framing)
    network.greet(client, over: channel)
    core.arrivingHold(network.arrivingByteCount)
    return true
  }

  /// Ciphertext arrives, or, behind the last of it, the FIN.
  ///
  /// Where a client's end cancels its requests it does not come while some of them are held: what becomes of those
  /// could not be told from outside.
  mutating func deliverSecurely(
    _ limit: Int, from client: Int, over channel: SecureChannel, isLate: Bool
  ) -> Bool {
    channel.seal(&clients.all[client])
    guard channel.hasOnTheWay else { return deliverSecureFIN(of: client, over: channel) }
    let endsApart = endsApart(client, over: channel)
    if endsApart && channel.isAtEnd && clients.isOpen(client)
      && core.heldInput(of: clients.all[client].id) != (0, 0)
    {
      return false
    }
    log.add(client)
    let progress = channel.bring(limit, endsApart: endsApart)
    if progress.isSecured && !isSecured(client, over: channel) { return true }
    if progress.plaintextBytes > 0 {
      hears(progress, from: client, over: channel, isLate: isLate)
    } else if channel.isSecured {
      oracle.coverage.count(.splitRecord)
    }
    if channel.session.takeEnd() { ends(client) }
    settle(client, over: channel)
    return true
  }

  private func endsApart(_ client: Int, over channel: SecureChannel) -> Bool {
    let isKnown = clients.isOpen(client)
    let options =
      isKnown ? oracle.clients[client].options : oracle.options(ofListener: channel.greeting.listener)
    return options.cancelsAtEnd
  }

  private mutating func isSecured(_ client: Int, over channel: SecureChannel) -> Bool {
    guard !clients.isOpen(client) else {
      oracle.complain("the handshake of client \(client) is over twice")
      return false
    }
    let greeting = channel.greeting
    clients.isGreeted(client)
    network.hasArrived(client)
    core.arrivingHold(network.arrivingByteCount)
    guard admit(client, greeting.listener, room: greeting.room, greeting.framing, user: greeting.user) else {
      leave(client)
      return false
    }
    core.transportHolds(SecureChannel.sessionMemoryBytes, for: clients.all[client].id)
    oracle.coverage.count(.greeted)
    return true
  }

  /// Nothing else than what the client has sent, in its order.
  private mutating func hears(
    _ progress: TLSSession.Progress, from client: Int, over channel: SecureChannel, isLate: Bool
  ) {
    guard clients.isOpen(client) else {
      return oracle.complain("client \(client) is heard before its handshake is over")
    }
    if progress.isSecured { oracle.coverage.count(.spokeWithHandshake) }
    let count = progress.plaintextBytes
    if count > channel.recordBytes { oracle.coverage.count(.severalRecords) }
    var sent: [UInt8] = []
    let isAll = clients.all[client].take(count, into: &sent) == count
    guard isAll, sent[..<count].elementsEqual(channel.plaintext[..<count]) else {
      return oracle.complain("what is heard of client \(client) under TLS is not what it said")
    }
    receive(channel.plaintext, count: count, from: client, isLate: isLate)
  }

  /// TLS's own word: the same as a FIN. It may come together with what the gateway has no time for yet.
  private mutating func ends(_ client: Int) {
    let isTwice = clients.all[client].finHasArrived || clients.all[client].endIsHeld
    oracle.expect(!isTwice, "the end of client \(client) under TLS is told twice")
    guard core.heldInput(of: clients.all[client].id) != (0, 0) else {
      oracle.coverage.count(.endedUnderTLS)
      _ = deliverFIN(of: client)
      return
    }
    oracle.coverage.count(.endedBehindHeld)
    core.clientEnded(clients.all[client].id)
    clients.all[client].endIsHeld = true
  }

  private mutating func deliverSecureFIN(of client: Int, over channel: SecureChannel) -> Bool {
    guard clients.all[client].hasFinished, !channel.finHasArrived else { return false }
    log.add(client)
    channel.finHasArrived = true
    channel.session.inputEnded()
    if channel.session.takeEnd() { ends(client) }
    let isCut = channel.isCutOff || channel.isAltered
    oracle.expect(
      !isCut || channel.session.fault != nil,
      "client \(client) was cut off or altered under TLS, and that is taken for its end")
    settle(client, over: channel)
    return true
  }

  /// A session that has failed is a client that is gone.
  private mutating func settle(_ client: Int, over channel: SecureChannel) {
    noteComplaint(of: client, over: channel)
    if channel.hasGivenUp && !clients.all[client].hasFinished {
      clients.all[client].hasFinished = true
      channel.isCutOff = true
    }
    guard let fault = channel.session.fault else { return }
    let isRight = channel.isAltered || channel.isCutOff && channel.finHasArrived
    oracle.expect(isRight, "the session of client \(client) has failed: \(fault)")
    guard let id = clients.id(of: client) else { return leave(client) }
    oracle.coverage.count(channel.isAltered ? .alteredRecord : .cutOffUnderTLS)
    ends(client, at: id) { core in core.clientDisconnected(id) }
  }

  /// The core never hears of it.
  mutating func leave(_ client: Int) {
    oracle.coverage.count(.leftInHandshake)
    clients.close(client)
    network.inboxes[client].channel = nil
    network.hasArrived(client)
    core.arrivingHold(network.arrivingByteCount)
  }

  /// There was no room for its handshake.
  mutating func turnBack(_ client: Int) {
    log.add(client)
    oracle.coverage.count(.turnedBackInHandshake)
    leave(client)
  }
}
