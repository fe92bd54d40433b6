import HotData
import JSONRPC
import TaskStore

/// What comes of other loops, and goes to them.
extension GatewayCore {
  /// Handles what another loop had to tell, as far as a share of it goes. The shell asks for new mirrors behind it.
  /// - Parameter first: so many of its events have been handled.
  /// - Returns: how many of them have been now.
  package mutating func heard(_ batch: PeerBatch, from loop: Int, behind first: Int = 0) -> Int {
    share = TurnShare(configuration, isLookedAt: true)
    var next = first
    while next < batch.eventCount && !share.isSpent {
      hear(batch, next, from: loop, isLate: false)
      if answersOffset > 0 { break }
      next += 1
      if edge.hasBurst { break }
    }
    return next
  }

  /// The same, to its end.
  package mutating func heardAll(of batch: PeerBatch, from loop: Int) {
    var count = 0
    repeat { count = heard(batch, from: loop, behind: count) } while count < batch.eventCount
  }

  /// There is no time for the rest of it in this turn: what clients ask waits for the turns of their mirrors, as if they
  /// were clients of this loop. Answers are heard at once, but that the shell writes what some have been given much of.
  /// - Returns: as above.
  package mutating func putOff(_ batch: PeerBatch, from loop: Int, behind first: Int) -> Int {
    var next = first
    while next < batch.eventCount {
      hear(batch, next, from: loop, isLate: true)
      if answersOffset > 0 { break }
      next += 1
      if edge.hasBurst { break }
    }
    return next
  }

  /// - Parameter isLate: what a client asks waits.
  @inline(__always)
  private mutating func hear(_ batch: PeerBatch, _ index: Int, from loop: Int, isLate: Bool) {
    switch batch.events[index] {
    case .opened(let place): open(batch.newClients[place], of: loop)
    case .request(let client, let envelope, let claim):
      guard let mirror = asker(batch, index, of: client, at: loop, isLate: isLate) else { return }
      share.spend(messages: 1)
      asks(batch.bytes.span, envelope, by: mirror, about: claim)
    case .cancel(let client, _, _, _):
      guard let mirror = asker(batch, index, of: client, at: loop, isLate: isLate) else { return }
      asked(batch, index, by: mirror)
    case .beyondBounds(let client, let envelope, _, let isTooDeep):
      guard let mirror = peers.mirror(of: client, at: loop) ?? meetAgain(client, of: loop) else {
        return refuse(batch, index, of: client, at: loop)
      }
      guard edge.isReading(mirror) else { return }
      share.spend(messages: 1)
      edge.refuseMessage(
        beyondBounds(isTooDeep), of: envelope, in: batch.bytes.span, from: Sender(client: mirror))
    case .ended(let client):
      guard let mirror = peers.mirror(of: client, at: loop) else { return forgetStranger(client, of: loop) }
      // What is held of it, or waits, comes first, and ends as it does should its loop be given up.
      if !edge.isHeld(mirror), !edge.isHeldUp(mirror) { peers.part(client, at: loop) }
      clientEnded(ClientID(slot: mirror))
    case .gone(let client):
      guard let mirror = peers.mirror(of: client, at: loop) else { return forgetStranger(client, of: loop) }
      peers.part(client, at: loop)
      edge.giveUp(mirror)
    case .answers(_, let range, let framing):
      share.spend(outputBytes: range.count)
      let start = answersOffset > 0 ? answersOffset : range.range.lowerBound
      answersOffset = heardAnswers(batch.bytes.span, start..<range.range.upperBound, framing)
    case .answer(let call, let body): heardAnswer(batch.bytes.span, body, toCall: call)
    case .closed(let client, let serial):
      closed(Int(client), serial, by: loop, isTurnedAway: batch.saysTurnedAway(before: index))
    case .moved(let client, let serial, let envelope, let claim):
      cameBack(batch.bytes.span, envelope, of: Int(client), serial, about: claim, from: loop)
    }
  }

  /// The mirror of a client that asks something, or takes it back; nil: it is refused, or waits, or nobody reads it.
  @inline(__always)
  private mutating func asker(
    _ batch: PeerBatch, _ index: Int, of client: Int32, at loop: Int, isLate: Bool
  ) -> Int? {
    guard let mirror = peers.mirror(of: client, at: loop) ?? meetAgain(client, of: loop) else {
      refuse(batch, index, of: client, at: loop)
      return nil
    }
    guard edge.isReading(mirror) else { return nil }
    if isLate || edge.isHeld(mirror) {
      hold(batch, index, of: mirror)
      return nil
    }
    return mirror
  }

  /// Holds a message of a mirror's client for the mirror's turn, unless so much waits already that others would have no
  /// room. Cancels and inspections have as much room once more.
  @inline(never)
  private mutating func hold(_ batch: PeerBatch, _ index: Int, of mirror: Int) {
    guard edge.holdsMuchMail(of: mirror) else { return edge.hold(batch, index, of: mirror) }
    let bytes = batch.bytes.span
    let overload = Overload.tooMuchOfOne
    switch batch.events[index] {
    case .request(_, let envelope, _) where OwnMethod(envelope, in: bytes) == .foreign:
      edge.countRequest(envelope)
      edge.reject(overload, envelope, in: bytes, from: Sender(client: mirror))
    case .request(_, let envelope, _) where edge.holdsMuchMail(of: mirror, within: 2):
      edge.refuseMessage(overload, of: envelope, in: bytes, from: Sender(client: mirror))
    // How many wait for an answer is bounded where their client is.
    case .cancel(_, _, let answered, _) where answered.isEmpty && edge.holdsMuchMail(of: mirror, within: 2):
      edge.counters.notificationsLost += 1
    default: edge.hold(batch, index, of: mirror)
    }
  }

  /// The error for a request within its own member's bounds, but beyond this one's.
  private func beyondBounds(_ isTooDeep: Bool) -> RPCError {
    let (levels, bytes) = (configuration.scan.nestingLevels, configuration.scan.methodBytes)
    return isTooDeep
      ? .parseError.with(message: "parse error: nested deeper than nestingLevels (\(levels))")
      : EnvelopeFault.methodTooLong(limitBytes: bytes).error
  }

  /// What the client of a mirror asks, or takes back.
  @inline(__always)
  private mutating func asked(_ batch: PeerBatch, _ index: Int, by mirror: Int) {
    share.spend(messages: 1)
    let bytes = batch.bytes.span
    switch batch.events[index] {
    case .request(_, let envelope, let claim): asked(bytes, envelope, by: mirror, about: claim)
    case .cancel(_, let call, let answered, let isCounted):
      tookBack(call, answered, isCounted: isCounted, bytes, by: mirror)
    default: return
    }
  }

  /// Handles one more share of what is held of the client of a mirror.
  mutating func goOn(with input: HeldInput, ofMirror mirror: Int) {
    while edge.isReading(mirror), !share.isSpent, let (batch, event) = edge.takeMail(input) {
      asked(batch, event, by: mirror)
    }
  }

  private mutating func open(_ client: RemoteClient, of loop: Int, isNew: Bool = true) {
    let slot = Int32(truncatingIfNeeded: client.slot)
    if let before = peers.mirror(of: slot, at: loop) {
      // Its loop has given up all that this one had for it; or it has ended, and something of it is held, or waits.
      peers.part(slot, at: loop)
      if edge.goesOnToItsEnd(before) { peers.keepEnded(before) } else { edge.giveUp(before) }
    }
    forgetStranger(slot, of: loop)
    if edge.hasAllIssued { forgetIssuedPrincipals() }
    let account = lanes.openAccount()
    upstreams.open(account)
    let number = peers.connectionNumber(of: client, at: loop)
    guard let mirror = edge.connect(client, number: number, account: account) else {
      lanes.closeAccount(account)
      let isFull = edge.hasNoRoom(for: client)
      if isNew, isFull { edge.counters.principalsRefused += 1 }
      return peers.refuse(client, of: loop, isNew: isNew, isFull: isFull)
    }
    lanes.give(account, to: mirror)
    peers.open(mirror, for: client, at: loop)
    noteWho(mirror)
  }

  /// A reload has turned mirrors away. Where another member has their clients, that may go on serving them, and nobody
  /// would end what they asked here: those clients go. Their own member is told why.
  mutating func closeTurnedAway() {
    for mirror in edge.connected
    where edge.isMirror(mirror) && edge.isUnknown(mirror) && !edge.isGivenUp(mirror) {
      guard let name = peers.name(ofMirror: mirror), name.loop >= peers.loop.count else { continue }
      edge.counters.clientsRevoked += 1
      edge.answer(RequestID(), PeerBatch.turnedAway, to: Sender(client: mirror))
      edge.giveUp(mirror)
    }
  }

  mutating func asked(
    _ bytes: Span<UInt8>, _ envelope: Envelope, by mirror: Int, about claim: PartitionClaim
  ) {
    if edge.isReading(mirror) { asks(bytes, envelope, by: mirror, about: claim) }
  }

  /// The same of a mirror that is read.
  @inline(__always)
  private mutating func asks(
    _ bytes: Span<UInt8>, _ envelope: Envelope, by mirror: Int, about claim: PartitionClaim
  ) {
    if lanes.hasPartitions, putsOff(bytes, envelope, of: mirror, about: claim) { return }
    ask(bytes, envelope, of: mirror)
  }

  mutating func ask(_ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int) {
    share.isLookedAt = edge.asksWho(mirror) || edge.isExchange(mirror)
    request(bytes, envelope, from: Sender(client: mirror))
  }

  /// A client has taken back what it asked under a call's number.
  private mutating func tookBack(
    _ call: ByteRange, _ answered: ByteRange, isCounted: Bool, _ bytes: Span<UInt8>, by mirror: Int
  ) {
    // A reload has turned it away: its client goes, and with it all that it asked.
    guard !edge.isUnknown(mirror) else { return }
    var envelope = Envelope()
    envelope.id = answered
    envelope.isNotification = answered.isEmpty
    let sender = Sender(client: mirror)
    // No rate stands against what the gateway itself takes back.
    let isGateways = isCounted && answered.isEmpty
    guard isGateways || mayTakeBack(bytes, envelope, from: sender) else { return }
    var count = 0
    if let waiter = edge.newest(withID: call, in: bytes, of: mirror) {
      count = cancel(waiter)
    } else if lanes.hasPartitions {
      count = cancelPutOff(call, in: bytes, of: mirror)
    }
    if !isGateways { countTakenBack(count, by: mirror) }
    let result = isCounted ? Self.cancelled(count) : Array("null".utf8)
    edge.answer(result, to: envelope, in: bytes, of: sender)
  }

  /// The mirror of a client has been given up: so is the client. A POST at work first hears of each of its requests that
  /// it is taken back: without a reply it would be told that all had been notifications.
  /// - Parameter isTurnedAway: by a reload of another member, which has said so.
  private mutating func closed(_ client: Int, _ serial: UInt64, by loop: Int, isTurnedAway: Bool) {
    guard edge.isThere(client), peers.knows(client, serial, at: loop) else { return }
    if isTurnedAway, !edge.isGivenUp(client) {
      edge.note(.revoked(reason: PeerBatch.turnedAway.message), of: client)
    }
    if edge.isWorkOfPost(client) { clientLeaves(ClientID(slot: client)) } else { edge.giveUp(client) }
  }

  /// The mirror of a client that had none, for this loop did not know its principal, or had no room for it: by now it may.
  @inline(never)
  private mutating func meetAgain(_ client: Int32, of loop: Int) -> Int? {
    guard let stranger = peers.takeStranger(client, at: loop) else { return nil }
    open(stranger, of: loop, isNew: false)
    return peers.mirror(of: client, at: loop)
  }

  private mutating func forgetStranger(_ client: Int32, of loop: Int) {
    _ = peers.takeStranger(client, at: loop)
  }

  /// Refuses a message of a client without a mirror: unlike others, this member does not know its principal or
  /// listener; or there is no room for its principal.
  @inline(never)
  private mutating func refuse(_ batch: PeerBatch, _ index: Int, of client: Int32, at loop: Int) {
    let id: ByteRange
    switch batch.events[index] {
    case .request(_, let envelope, _), .beyondBounds(_, let envelope, _, _): id = envelope.id
    case .cancel(_, _, let answered, _): id = answered
    default: return
    }
    let isFull = peers.stranger(client, at: loop).map { edge.hasNoRoom(for: $0) } ?? false
    guard peers.loop.isInFleet || isFull, !id.isEmpty else { return }
    edge.counters.invalid += 1
    let error: RPCError =
      isFull
      ? Overload.tooManyPrincipals.error
      : .upstreamUnavailable.with(message: "the member that has the key does not know this client")
    peers.answer(RequestID(id, in: batch.bytes.span), error, toClient: client, at: loop)
  }

  // MARK: The shell's

  /// Mirrors that are new: what is written to them goes to their loops.
  package mutating func takeNewMirrors() -> [NewMirror] { peers.takeNewMirrors() }

  /// What a loop is to be told, to be asked for behind each flush; nil: nothing.
  package mutating func takeBatch(for loop: Int) -> PeerBatch? { peers.takeBatch(for: loop) }

  /// By loop: whether it does not keep up with what it is told.
  package mutating func otherLoops(areBehind behind: [Bool]) { peers.note(behind: behind) }
  /// What is on its way to another loop of the process, if that is much, and what it has taken since the start.
  package mutating func otherLoop(
    _ loop: Int, isTold load: (byteCount: Int, takenByteCount: UInt64)?
  ) { peers.note(load, of: loop) }

  /// Has clients that still get answers of other loops wait for them: all of it is written together. To be called before
  /// a `flush`, and now and then `releaseHeldBack` instead.
  package mutating func holdBack() { edge.holdBack { peers.awaitsAnswers($0) } }
  /// Whether a client may wait so.
  package var holdsBack: Bool { edge.holdsBack }
  /// They wait no longer.
  package mutating func releaseHeldBack() { edge.releaseHeldBack() }

  /// What is held of mirrors, in bytes.
  package var mailByteCount: Int { edge.heldMailByteCount }
  /// So much may be held of them, with what is on its way to them; then their loops give no more.
  package static let mostMailBytes = 64 * 1024 * 1024

  /// Clients of other loops that this one does not know, since the start.
  package var strangerCount: UInt64 { peers.strangerCount }

  /// Requests that are open and that other loops were asked.
  package var remoteRequestCount: Int { peers.openCount }
}
