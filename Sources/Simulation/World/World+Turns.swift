import GatewayCore

/// What the core hands out at the end of each turn of its loop, and before.
extension World {
  /// What is written early is heard with everything else of the turn. One that was closed does nothing more, and so
  /// the turn ends.
  mutating func flushEarly() {
    let before = network.writeCount
    core.flushEarly(into: &network)
    if network.writeCount > before { oracle.coverage.count(.flushedEarly) }
    guard !network.closedClients.isEmpty else { return }
    oracle.coverage.count(.closedEarly)
    endTurn()
  }

  mutating func endTurn() {
    core.flush(into: &network)
    oracle.expect(core.isFlushed, "the turn has ended, and something waits for the next")
    if oracle.isLate || core.isLate { judgeClock() }
    if network.gaveMemoryBack { oracle.coverage.count(.gaveMemoryBack) }
    for client in network.closedClients {
      expectLastWordsHeard(by: client)
      giveUpLinks(of: client)
      oracle.isClosing(client)
    }
    for client in clients.open { oracle.noteTakenBackAtEnd(of: client) }
    for client in network.turnedBack { turnBack(client) }
    let ended = takeWishes()
    listenToUpstreams(ended)
    for client in network.dirtyClients { listen(to: client) }
    for client in network.closedClients { isClosed(client) }
    for client in network.dirtyClients { noteTimeouts(with: client) }
    for client in clients.open { expectNothingKeptBack(client) }
    for link in openLinks { expectEndPassedOn(link) }
    for link in openLinks { expectReading(link) }
    oracle.judgeTimes(&core, clients)
    if timeHasPassed && !core.isLate {
      expectNobodyIsWaitedFor()
      oracle.judgeLeftBehind(&core, clients)
      oracle.judgeDeadlines(&core, clients)
      timeHasPassed = false
    }
    expectRoom()
    network.startOver()
    readJournal()
    measure()
    oracle.turn += 1
    turnIsOpen = false
  }

  /// - Parameter ended: links over which nothing more comes behind this.
  private mutating func listenToUpstreams(_ ended: [Int]) {
    for link in openLinks where links[link].state == .connected { listen(toLink: link) }
    for link in ended { oracle.hasEnded(link: link, &core, clients) }
    for link in openLinks {
      links[link].endedInTurn.removeAll(keepingCapacity: true)
      oracle.turnEnds(forLink: link, isBacklogged: network.pipes[links[link].slot].isClogged)
    }
    for upstream in oracle.active { oracle.turnEnds(forUpstream: upstream) }
    oracle.judgeSights(&core, clients)
    oracle.judgeTimeless(&core, clients)
  }

  /// A client gets all that it can take in the turn in which the gateway has it.
  private func expectNothingKeptBack(_ client: Int) {
    guard !network.inboxes[client].isClogged else { return }
    let isHeld = clients.all[client].isGone || core.heldInput(of: clients.all[client].id) != (0, 0)
    let isPaused = network.inboxes[client].isPaused
    switch waitsForUpstream(client) {
    case true?: oracle.expect(isPaused, "client \(client) is read from, and its upstream takes nothing")
    case false?: oracle.expect(isPaused == isHeld, "client \(client) is \(isHeld ? "" : "not ")read from")
    case nil: oracle.expect(isPaused || !isHeld, "client \(client) is read from")
    }
    let unsent = core.unsentByteCount(of: clients.all[client].id)
    oracle.expect(unsent == 0, "\(unsent) bytes for client \(client) were kept back")
  }

  /// Whether a client must wait for an upstream of its own; nil: it may.
  func waitsForUpstream(_ client: Int) -> Bool? {
    guard oracle.clients[client].options.waitsForUpstreams else { return false }
    var mayWait = false
    for upstream in oracle.numbering.upstreams(of: client) {
      let soft = oracle.numbering.places[oracle.numbering.place(of: upstream)].outputSoftBytes
      let limit = soft ?? oracle.configuration.upstreamOutputSoftBytes
      for link in oracle.numbering.links(of: upstream) where link < links.count && links[link].isHeard {
        let unsent = core.unsentByteCount(of: UpstreamID(slot: links[link].slot))
        if unsent >= limit { return true }
        mayWait = mayWait || unsent > limit / 2
      }
    }
    return mayWait ? nil : false
  }

  /// A client that sends no more is not closed while an upstream of its own may still speak.
  private func expectLastWordsHeard(by client: Int) {
    let (view, bounds) = (clients.all[client], oracle.bounds)
    let mayBeTooMuch = bounds.mayCloseUnread
    guard view.finHasArrived, !view.isTurnedAway, !view.timeouts.isOverdue, !mayBeTooMuch,
      !oracle.clients[client].options.cancelsAtEnd, !oracle.clients[client].isLeaving
    else { return }
    for upstream in oracle.numbering.upstreams(of: client) {
      let lastWords = oracle.upstreams[upstream].lastWordsMilliseconds
      for link in oracle.numbering.links(of: upstream) where link < links.count && links[link].isHeard {
        // One that never takes what its client sent is not told.
        let ended = isToldTheEnd(link) ? nowMilliseconds : oracle.links[link].endedMilliseconds
        oracle.expect(
          lastWords == 0 || ended == .max || nowMilliseconds >= ended + lastWords,
          "client \(client) was closed, and link \(link) might still speak")
      }
    }
  }

  /// Whether it is told in this turn that nothing more comes.
  private func isToldTheEnd(_ link: Int) -> Bool {
    network.wishes.contains { if case .end(links[link].slot) = $0 { true } else { false } }
  }

  /// The end of a client's input reaches an upstream of its own as soon as nothing goes before it, nor has to be undone.
  private mutating func expectEndPassedOn(_ link: Int) {
    let client = upstream(of: link).client
    guard client >= 0, links[link].isHeard, clients.isOpen(client), clients.all[client].finHasArrived else {
      return
    }
    let pipe = network.pipes[links[link].slot]
    guard !pipe.isClogged, !pipe.hasEnded else { return }
    let mayUndo = oracle.links[link].calls.contains(where: oracle.mayHaveToBeUndone)
    if mayUndo, !oracle.clients[client].options.cancelsAtEnd { return oracle.coverage.count(.heldEndBack) }
    let atUpstream = oracle.inFlightAtLeast(link, beside: -1, &core, clients)
    oracle.expect(core.taskCount > atUpstream, "link \(link) was not told the end")
  }

  // MARK: Wishes

  /// Returns the links that are told the end.
  private mutating func takeWishes() -> [Int] {
    var ended: [Int] = []
    for wish in network.wishes {
      switch wish {
      case .connect(let slot, let endpoint): connects(slot, to: endpoint)
      case .disconnect(let slot, let lastWords): disconnects(slot, behind: lastWords)
      case .end(let slot): ended.append(ends(slot))
      }
    }
    for link in openLinks where links[link].isGivenUp {
      oracle.complain("link \(link) was given up, and was not closed")
    }
    return ended
  }

  private mutating func disconnects(_ slot: Int, behind lastWords: [UInt8]) {
    let link = slot < linkOfSlot.count ? linkOfSlot[slot] : -1
    guard link >= 0 else { return oracle.complain("a connection was closed that there is not") }
    oracle.expect(links[link].isGivenUp, "link \(link) was closed for no reason")
    network.pipes[slot].bytes = lastWords
    listen(toLink: link)
    close(link)
  }

  /// The end of a client's input goes on to an upstream of its own, behind everything else.
  private func ends(_ slot: Int) -> Int {
    let link = linkOfSlot[slot]
    let client = upstream(of: link).client
    let hasEnded = client >= 0 && clients.isOpen(client) && clients.all[client].finHasArrived
    oracle.expect(hasEnded, "link \(link) was told the end, and its client goes on")
    return link
  }

  private mutating func connects(_ slot: Int, to endpoint: UpstreamEndpoint) {
    let owner = core.owner(of: UpstreamID(slot: slot)).map { network.clientOfSlot[$0.slot] }
    let link = oracle.numbering.link(to: endpoint, for: owner)
    while links.count <= link { links.append(SimulatedLink()) }
    while linkOfSlot.count <= slot { linkOfSlot.append(-1) }
    let isPrivate = oracle.numbering.places[endpoint.upstream].isPerConnection
    oracle.expect(isPrivate == (owner != nil), "link \(link) is for somebody else")
    oracle.expect(!links[link].isOpen && linkOfSlot[slot] < 0, "link \(link) was connected twice")
    linkOfSlot[slot] = link
    links[link].slot = slot
    links[link].state = .connecting
    let limit = Int(oracle.configuration.attemptMilliseconds)
    links[link].attemptEndsMilliseconds = limit > 0 ? nowMilliseconds + limit : .max
    openLinks.append(link)
    checkOwnLinks()
  }

  /// Clients have no more connections for themselves than they may.
  private func checkOwnLinks() {
    let own = openLinks.count { upstream(of: $0).isPrivate && !links[$0].isGivenUp }
    let limit = oracle.bounds.privateUpstreams
    oracle.expect(own <= limit, "clients have \(own) connections for themselves, where \(limit) may be")
  }
}
