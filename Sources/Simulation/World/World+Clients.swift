import GatewayCore
import Identity
import JSONRPC

/// What clients do.
extension World {
  mutating func connect(_ client: Int, listener: Int, room: Int, _ framing: Framing, user: Int) -> Bool {
    guard clients.isNew(client) else { return false }
    log.add(client)
    _ = admit(client, listener, room: room, framing, user: user)
    return true
  }

  /// The gateway's core hears of a client, and takes it or not.
  mutating func admit(_ client: Int, _ listener: Int, room: Int, _ framing: Framing, user: Int) -> Bool {
    let person = oracle.person(ofUser: user, oracle.options(ofListener: listener))
    let (credential, end) = Population.credential(
      user, atMilliseconds: nowMilliseconds,
      lasting: Self.tokenMilliseconds[client % Self.tokenMilliseconds.count])
    let kind = oracle.kind(of: client, framing)
    guard let id = core.clientConnected(listener: listener, credential, as: kind) else {
      let isFull =
        kind != .exchange && oracle.connectionCount(clients) >= oracle.configuration.connections
        || person == .unknown && oracle.unknownCount >= oracle.configuration.unauthenticatedConnections
        || oracle.isFull(person)
      oracle.expect(isFull, "client \(client) was refused for no reason")
      oracle.coverage.count(.refusedConnection)
      return false
    }
    oracle.expect(!oracle.isFull(person), "invariant 9: client \(client) is one too many of its principal")
    clients.connect(client, as: id, framing)
    clients.all[client].timeouts.connectedMilliseconds = nowMilliseconds
    clients.all[client].timeouts.lastMessageMilliseconds = nowMilliseconds
    network.open(client, at: id, room: room)
    if let session = oracle.sessionText(of: client, kind) { core.name(id, session: Array(session.utf8)) }
    oracle.knowClient(client, listener: listener, framing, person)
    if case .known = person { oracle.clients[client].endMilliseconds = end }
    return true
  }

  /// How long tokens last.
  private static let tokenMilliseconds = [200, 3_000, 60_000]

  mutating func send(_ message: Message, from client: Int) -> Bool {
    guard clients.isThere(client), clients.all[client].maySend else { return false }
    let framing = clients.all[client].framing
    guard message.suits(framing, oracle.kind(of: client, framing)) else { return false }
    line.removeAll(keepingCapacity: true)
    guard message.appendLine(to: &line, oracle.records) else { return false }
    clients.all[client].queue(message, line)
    oracle.sent(message, by: client)
    return true
  }

  /// Bytes arrive at the gateway, or, behind the last of them, the FIN.
  mutating func deliver(_ limit: Int, from client: Int, isLate: Bool) -> Bool {
    guard clients.isThere(client), !clients.all[client].isGone, !network.inboxes[client].isPaused else {
      return false
    }
    if let channel = network.inboxes[client].channel {
      return deliverSecurely(limit, from: client, over: channel, isLate: isLate)
    }
    guard clients.all[client].unreceived > 0 else { return deliverFIN(of: client) }
    var chunk: [UInt8] = []
    swap(&chunk, &self.chunk)
    defer { swap(&chunk, &self.chunk) }
    let count = clients.all[client].take(limit, into: &chunk)
    receive(chunk, count: count, from: client, isLate: isLate)
    return true
  }

  /// The core is given these, and what it made of them is judged.
  mutating func receive(_ chunk: [UInt8], count: Int, from client: Int, isLate: Bool) {
    log.add(chunk[..<count])
    let id = clients.all[client].id
    oracle.willReceive(clients.all[client].arrived.map(\.message), &core, clients)
    measures.bytesFromClients += UInt64(count)
    if isLate {
      core.putOff(chunk.span, count: count, from: id)
    } else {
      core.received(chunk.span, count: count, from: id)
    }
    judgeHandled(from: client)
  }

  /// The gateway goes on with what it could not handle before.
  mutating func goOn() -> Bool {
    // Upstreams and clients take turns.
    if core.nextInTurn == nil || oracle.event.isMultiple(of: 2), goOnWithAnswers() { return true }
    guard let id = core.nextInTurn else { return goOnWithNothingButTimers() }
    let client = network.clientOfSlot[id.slot]
    log.add(client)
    if clients.all[client].isGone {
      oracle.coverage.count(.leftLate)
      ends(client, at: id) { core in core.goOn() }
      return true
    }
    oracle.willReceive(clients.all[client].arrived.map(\.message), &core, clients)
    core.goOn()
    judgeHandled(from: client)
    return true
  }

  private mutating func goOnWithNothingButTimers() -> Bool {
    guard core.isLate else { return false }
    core.goOnWithTimers()
    judgeClock()
    return true
  }

  /// What has come and is not held any more was handled, in its order.
  private mutating func judgeHandled(from client: Int) {
    oracle.noteForgotten(core)
    let held = core.heldInput(of: clients.all[client].id)
    if held.bytes > 0 { oracle.coverage.count(.heldBack) }
    var hasAdvanced = false
    while let message = clients.all[client].nextHandled(but: held) {
      hasAdvanced = hasAdvanced || !message.isBlank
      judge(message, from: client)
    }
    clients.all[client].timeouts.received(
      isMidMessage: clients.all[client].isMidMessage, hasAdvanced: hasAdvanced, at: nowMilliseconds)
    oracle.probeArrivals(&core, clients)
    if clients.all[client].endIsHeld && held == (0, 0) { hasEnded(client, []) }
  }

  private mutating func judge(_ message: Message, from client: Int) {
    // What it began with it goes on with.
    if case .items(let items) = message {
      if !items.isEmpty { oracle.coverage.count(.splitBatch) }
      clients.all[client].hadFirstLine = true
      received(message, from: client)
      return
    }
    if clients.all[client].isTurnedAway { return }
    received(message, from: client)
    guard case .malformed(_, let index) = message else {
      clients.all[client].hadFirstLine = true
      return
    }
    let malformed = MalformedMessage.all[index]
    let isOtherProtocol =
      malformed.closesAsFirst && !clients.all[client].hadFirstLine && oracle.clients[client].kind == .stream
    if isOtherProtocol { oracle.clients[client].speaksHTTP = true }
    if malformed.isHeader || isOtherProtocol { clients.all[client].isTurnedAway = true }
    if malformed.isLine { clients.all[client].hadFirstLine = true }
  }

  private mutating func received(_ message: Message, from client: Int) {
    let wasUnknown = oracle.clients[client].person == .unknown
    oracle.received(message, from: client)
    if oracle.clients[client].hasFailed { clients.all[client].isTurnedAway = true }
    if wasUnknown && oracle.clients[client].person != .unknown {
      clients.all[client].timeouts.isKnown(at: nowMilliseconds)
    }
  }

  mutating func deliverFIN(of client: Int) -> Bool {
    guard clients.all[client].hasFinished, !clients.all[client].finHasArrived else { return false }
    // Nothing is read from it as long as something is held.
    guard core.heldInput(of: clients.all[client].id) == (0, 0) else { return false }
    log.add(client)
    let open = oracle.openRequests(of: client, &core, clients)
    core.clientEnded(clients.all[client].id)
    hasEnded(client, open)
    return true
  }

  /// The gateway has come to a client's end.
  private mutating func hasEnded(_ client: Int, _ open: [Int]) {
    clients.all[client].endIsHeld = false
    clients.all[client].finHasArrived = true
    oracle.coverage.count(.halfClosed)
    if clients.all[client].endsMidMessage && !clients.all[client].isTurnedAway {
      oracle.isOwedParseError(client)
      oracle.coverage.count(.endedMidMessage)
    }
    oracle.hasEnded(client, open, &core, clients)
  }

  mutating func finish(_ client: Int, isMidMessage: Bool) -> Bool {
    guard clients.isOpen(client), !clients.all[client].isGone, !clients.all[client].hasFinished else {
      return false
    }
    clients.all[client].hasFinished = true
    if isMidMessage { clients.all[client].queueHalf() }
    return true
  }

  mutating func reset(_ client: Int) -> Bool {
    if clients.greeting.contains(client) {
      leave(client)
      return true
    }
    guard let id = clients.id(of: client), !clients.all[client].isGone else { return false }
    log.add(client)
    ends(client, at: id) { core in core.clientDisconnected(id) }
    return true
  }

  /// What it is sent until the gateway comes to its end goes nowhere.
  mutating func resetLate(_ client: Int) -> Bool {
    guard let id = clients.id(of: client), !clients.all[client].isGone else { return false }
    log.add(client)
    clients.all[client].isGone = true
    network.inboxes[client].room = 0
    core.putOffEnd(of: id)
    return true
  }

  mutating func ends(_ client: Int, at id: ClientID, noticed: (inout GatewayCore) -> Void) {
    network.reset(client, at: id)
    clients.close(client)
    noticed(&core)
    giveUpLinks(of: client)
    oracle.isGone(client)
  }

  mutating func read(_ bytes: Int, by client: Int) -> Bool {
    guard let id = clients.id(of: client), !clients.all[client].isGone,
      network.inboxes[client].room < Action.everything
    else {
      return false
    }
    log.add(bytes)
    network.inboxes[client].room += bytes
    if let channel = network.inboxes[client].channel {
      readSecurely(client, at: id, over: channel)
      return true
    }
    guard network.inboxes[client].isClogged else { return true }
    network.inboxes[client].isClogged = false
    core.clientBecameWritable(id)
    return true
  }
}
