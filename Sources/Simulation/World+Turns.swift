import GatewayCore

/// What the core hands out at the end of each turn of its loop.
extension World {
  mutating func endTurn() {
    network.startOver()
    core.flush(into: &network)
    for client in network.closedClients { giveUpLinks(of: client) }
    takeWishes()
    listenToUpstreams()
    for client in network.dirtyClients { listen(to: client) }
    for client in network.closedClients { isClosed(client) }
    for client in network.dirtyClients { notePatience(with: client) }
    for client in clients.open { expectNothingKeptBack(client) }
    if timeHasPassed { expectNobodyIsWaitedFor() }
    timeHasPassed = false
    oracle.turn += 1
    turnIsOpen = false
  }

  private mutating func listenToUpstreams() {
    for link in openLinks where links[link].state == .connected { listen(toLink: link) }
    for link in openLinks {
      links[link].endedInTurn.removeAll(keepingCapacity: true)
      oracle.turnEnds(forLink: link, isBacklogged: network.pipes[links[link].slot].isClogged)
    }
    for upstream in oracle.active { oracle.turnEnds(forUpstream: upstream) }
    oracle.judgeSights(&core, clients)
  }

  /// What a client can take it is given in the turn in which there is something to take.
  private func expectNothingKeptBack(_ client: Int) {
    guard !network.inboxes[client].isClogged else { return }
    let unsent = core.unsentByteCount(of: clients.all[client].id)
    oracle.expect(unsent == 0, "\(unsent) bytes for client \(client) were kept back")
  }

  // MARK: Wishes

  private mutating func takeWishes() {
    for wish in network.wishes {
      switch wish {
      case .connect(let slot, let endpoint): connects(slot, to: endpoint)
      case .disconnect(let slot, let lastWords): disconnects(slot, behind: lastWords)
      }
    }
    for link in openLinks where links[link].isGivenUp {
      oracle.complain("link \(link) was given up, and was not closed")
    }
  }

  private mutating func disconnects(_ slot: Int, behind lastWords: [UInt8]) {
    let link = slot < linkOfSlot.count ? linkOfSlot[slot] : -1
    guard link >= 0 else { return oracle.complain("a connection was closed that there is not") }
    oracle.expect(links[link].isGivenUp, "link \(link) was closed for no reason")
    network.pipes[slot].bytes = lastWords
    listen(toLink: link)
    close(link)
  }

  private mutating func connects(_ slot: Int, to endpoint: UpstreamEndpoint) {
    let owner = core.owner(of: UpstreamID(slot: slot)).map { network.clientOfSlot[$0.slot] }
    let link = oracle.fleet.link(to: endpoint, for: owner)
    while links.count <= link { links.append(SimulatedLink()) }
    while linkOfSlot.count <= slot { linkOfSlot.append(-1) }
    let isPrivate = oracle.fleet.places[endpoint.upstream].isPerConnection
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
