import GatewayCore
import JSONRPC

/// Connections to upstreams.
extension World {
  func upstream(of link: Int) -> UpstreamView { oracle.upstreams[oracle.numbering.upstream(of: link)] }
  private func id(of link: Int) -> UpstreamID { UpstreamID(slot: links[link].slot) }
  func isOpen(link: Int) -> Bool { link < links.count && links[link].isOpen }

  // MARK: Coming and going

  mutating func accept(_ link: Int, room: Int) -> Bool {
    guard isOpen(link: link), links[link].state == .connecting else { return false }
    log.add(link)
    links[link].state = .connected
    core.upstreamConnected(id(of: link))
    // One that was given up in this turn comes too late.
    guard !links[link].isGivenUp else { return true }
    network.openPipe(links[link].slot, room: upstream(of: link).takesExchanges ? Action.everything : room)
    oracle.isUp(link: link)
    return true
  }

  mutating func refuse(_ link: Int) -> Bool {
    guard isOpen(link: link), links[link].state == .connecting, !upstream(of: link).takesExchanges else {
      return false
    }
    return lose(link)
  }

  mutating func cut(_ link: Int) -> Bool {
    guard isOpen(link: link), links[link].state == .connected, !upstream(of: link).takesExchanges else {
      return false
    }
    return lose(link)
  }

  private mutating func lose(_ link: Int) -> Bool {
    log.add(link)
    let upstream = oracle.numbering.upstream(of: link)
    let wasUp = links[link].isHeard
    // What came before is handled first, and may free others.
    let isHeld = core.heldAnswerBytes(of: id(of: link)) > 0
    let waiting = isHeld ? [] : oracle.waiting(for: upstream, &core, clients)
    if isHeld { willHand(links[link].arriving.map(\.utterance)) }
    core.upstreamDisconnected(id(of: link))
    if isHeld { judgeArrived(from: link) }
    if !links[link].isGivenUp {
      oracle.isDown(link: link)
      if wasUp { isLost(upstream) }
    }
    if !oracle.upstreams[upstream].isLost { oracle.expectOpen(waiting, &core, clients) }
    close(link)
    return true
  }

  /// A connection is lost that was up.
  private mutating func isLost(_ upstream: Int) {
    guard oracle.upstreams[upstream].isPrivate else { return }
    oracle.isLost(upstream, &core, clients)
    let client = oracle.upstreams[upstream].client
    if clients.all[client].isTurnedAway { return }
    clients.all[client].isTurnedAway = true
    oracle.clients[client].isLeaving = true
  }

  mutating func close(_ link: Int) {
    oracle.isClosed(link: link)
    network.closePipe(links[link].slot)
    linkOfSlot[links[link].slot] = -1
    links[link].close()
    openLinks.removeAll { $0 == link }
  }

  /// The gateway has still to close it.
  private mutating func giveUp(_ link: Int) {
    guard !links[link].isGivenUp else { return }
    oracle.isDown(link: link)
    links[link].isGivenUp = true
    links[link].forgetSaid()
    for call in links[link].calls { links[link].remember(call) }
    links[link].calls.removeAll()
  }

  /// Time has passed: attempts to connect that took too long are given up.
  mutating func giveUpAttempts() {
    for link in openLinks where links[link].state == .connecting && !links[link].isGivenUp {
      guard nowMilliseconds >= links[link].attemptEndsMilliseconds else { continue }
      oracle.coverage.count(.givenUpAttempt)
      giveUp(link)
    }
  }

  /// A client is gone, and with it the connections that it had for itself.
  mutating func giveUpLinks(of client: Int) {
    for upstream in oracle.numbering.upstreams(of: client) {
      for link in oracle.numbering.links(of: upstream) where isOpen(link: link) { giveUp(link) }
    }
  }

  // MARK: Bytes

  mutating func readUpstream(_ bytes: Int, by link: Int) -> Bool {
    guard isOpen(link: link), links[link].isHeard, !upstream(of: link).takesExchanges else { return false }
    let slot = links[link].slot
    guard network.pipes[slot].room < Action.everything else { return false }
    log.add(bytes)
    network.pipes[slot].room += bytes
    guard network.pipes[slot].isClogged else { return true }
    network.pipes[slot].isClogged = false
    oracle.upstreams[oracle.numbering.upstream(of: link)].isDisturbed = true
    core.upstreamBecameWritable(id(of: link))
    return true
  }

  mutating func deliverAnswers(_ limit: Int, from link: Int) -> Bool {
    guard isOpen(link: link), links[link].state == .connected, links[link].unreceived > 0 else {
      return false
    }
    guard !network.pipes[links[link].slot].isPaused else { return false }
    var chunk: [UInt8] = []
    swap(&chunk, &self.chunk)
    defer { swap(&chunk, &self.chunk) }
    let count = links[link].take(links[link].limitBeforeGarbage(limit), into: &chunk)
    log.add(chunk[..<count])
    let arriving = links[link].arriving.map(\.utterance)
    if links[link].isHeard { willHand(arriving) }
    measures.bytesFromUpstreams += UInt64(count)
    core.upstreamReceived(chunk.span, count: count, from: id(of: link))
    judgeArrived(from: link)
    return true
  }

  /// The gateway goes on with what of an upstream it could not handle before.
  mutating func goOnWithAnswers() -> Bool {
    guard let next = core.nextUpstreamInTurn else { return false }
    let link = linkOfSlot[next.slot]
    log.add(link)
    willHand(links[link].arriving.map(\.utterance))
    core.goOnWithAnswers()
    judgeArrived(from: link)
    return true
  }

  /// What has come and is not held any more was handled, in its order.
  private mutating func judgeArrived(from link: Int) {
    let held = core.heldAnswerBytes(of: id(of: link))
    if held > 0 { oracle.coverage.count(.heldAnswers) }
    while let said = links[link].nextArrived(but: held) {
      guard links[link].isHeard else { continue }
      if said.endsConnection { return endedByGarbage(link) }
      arrived(said.utterance, from: link)
    }
  }

  /// A connection is read from unless something that came over it is held.
  func expectReading(_ link: Int) {
    guard links[link].isHeard, !upstream(of: link).takesExchanges else { return }
    let isHeld = core.heldAnswerBytes(of: id(of: link)) > 0
    oracle.expect(
      network.pipes[links[link].slot].isPaused == isHeld, "link \(link) is \(isHeld ? "" : "not ")read from")
  }

  private mutating func endedByGarbage(_ link: Int) {
    oracle.coverage.count(.reset)
    giveUp(link)
    // Lost is what was written early, too.
    network.pipes[links[link].slot].bytes = []
    isLost(oracle.numbering.upstream(of: link))
  }

  private mutating func willHand(_ arriving: [SimulatedLink.Utterance]) {
    // A message may end the task that the next one is about, so only the first is looked at.
    switch arriving.first {
    case .report(let number), .piece(let number), .aside(let number):
      oracle.willHand(report: number, &core, clients)
    default: break
    }
    for case .answer(let number) in arriving {
      oracle.willHand(number, of: arriving.count, &core, clients)
    }
  }

  private mutating func arrived(_ utterance: SimulatedLink.Utterance, from link: Int) {
    switch utterance {
    case .noise: return
    case .question(let number): oracle.handed(question: number, at: link, &core, clients)
    case .report(let number): oracle.handed(report: number, at: link)
    case .piece(let number): oracle.handed(piece: number)
    case .aside(let number): oracle.handed(aside: number)
    case .answer(let number):
      oracle.handed(number)
      if oracle.answers[number].meaning != .none { links[link].end(oracle.answers[number].task) }
    }
  }
}
