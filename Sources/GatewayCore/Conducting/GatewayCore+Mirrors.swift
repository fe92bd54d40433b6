import HotData
import JSONRPC
import TaskStore

/// What comes of other loops, and goes to them.
extension GatewayCore {
  /// Handles what another loop had to tell. The shell asks for new mirrors behind it.
  package mutating func heard(_ batch: PeerBatch, from loop: Int) {
    let bytes = batch.bytes.span
    for event in batch.events {
      switch event {
      case .opened(let place): open(batch.newClients[place], of: loop)
      case .request(let client, let envelope, let claim):
        asked(bytes, envelope, by: client, at: loop, about: claim)
      case .cancel(let client, let call, let answered, let isCounted):
        tookBack(call, answered, isCounted: isCounted, bytes, by: client, at: loop)
      case .ended(let client):
        guard let mirror = peers.mirror(of: client, at: loop) else { continue }
        peers.part(client, at: loop)
        clientEnded(ClientID(slot: mirror))
      case .gone(let client):
        guard let mirror = peers.mirror(of: client, at: loop) else { continue }
        peers.part(client, at: loop)
        edge.giveUp(mirror)
      case .answers(_, let range, let framing): heardAnswers(bytes, range.range, framing)
      case .answer(let call, let body): heardAnswer(bytes, body, toCall: call)
      case .closed(let client, let serial): closed(Int(client), serial, by: loop)
      case .moved(let client, let serial, let envelope, let claim):
        cameBack(bytes, envelope, of: Int(client), serial, about: claim)
      }
    }
  }

  private mutating func open(_ client: RemoteClient, of loop: Int) {
    let slot = Int32(truncatingIfNeeded: client.slot)
    if let before = peers.mirror(of: slot, at: loop) {
      // Its loop has given up all that this one had for it.
      peers.part(slot, at: loop)
      edge.giveUp(before)
    }
    let account = lanes.openAccount()
    upstreams.open(account)
    guard let mirror = edge.connect(client, account: account) else {
      lanes.closeAccount(account)
      return peers.refuse(client, of: loop)
    }
    lanes.give(account, to: mirror)
    peers.open(mirror, for: client, at: loop)
    noteWho(mirror)
  }

  mutating func asked(
    _ bytes: Span<UInt8>, _ envelope: Envelope, by client: Int32, at loop: Int, about claim: PartitionClaim
  ) {
    guard let mirror = peers.mirror(of: client, at: loop), edge.isReading(mirror) else { return }
    if lanes.hasPartitions, putsOff(bytes, envelope, of: mirror, about: claim) { return }
    ask(bytes, envelope, of: mirror)
  }

  mutating func ask(_ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int) {
    share = TurnShare(configuration, isLookedAt: edge.asksWho(mirror) || edge.isExchange(mirror))
    request(bytes, envelope, from: Sender(client: mirror))
  }

  /// A client has taken back what it asked under a call's number.
  private mutating func tookBack(
    _ call: ByteRange, _ answered: ByteRange, isCounted: Bool, _ bytes: Span<UInt8>, by client: Int32,
    at loop: Int
  ) {
    guard let mirror = peers.mirror(of: client, at: loop), edge.isReading(mirror) else { return }
    var envelope = Envelope()
    envelope.id = answered
    envelope.isNotification = answered.isEmpty
    let sender = Sender(client: mirror)
    guard mayTakeBack(bytes, envelope, from: sender) else { return }
    var count = 0
    if let waiter = edge.newest(withID: call, in: bytes, of: mirror) {
      count = cancel(waiter)
    } else if lanes.hasPartitions {
      count = cancelPutOff(call, in: bytes, of: mirror)
    }
    countTakenBack(count, by: mirror)
    let result = isCounted ? Self.cancelled(count) : Array("null".utf8)
    edge.answer(result, to: envelope, in: bytes, of: sender)
  }

  /// The mirror of a client has been given up: so is the client.
  private mutating func closed(_ client: Int, _ serial: UInt64, by loop: Int) {
    if edge.isThere(client), peers.knows(client, serial, at: loop) { edge.giveUp(client) }
  }

  // MARK: The shell's

  /// Mirrors that are new: what is written to them goes to their loops.
  package mutating func takeNewMirrors() -> [NewMirror] { peers.takeNewMirrors() }

  /// What a loop is to be told, to be asked for behind each flush; nil: nothing.
  package mutating func takeBatch(for loop: Int) -> PeerBatch? { peers.takeBatch(for: loop) }

  /// By loop: whether it does not keep up with what it is told.
  package mutating func otherLoops(areBehind behind: [Bool]) { peers.note(behind: behind) }

  /// Has clients that still get answers of other loops wait for them: all of it is written together. To be called before
  /// a `flush`, and now and then `releaseHeldBack` instead.
  package mutating func holdBack() { edge.holdBack { peers.awaitsAnswers($0) } }
  /// Whether somebody may wait so.
  package var holdsBack: Bool { edge.holdsBack }
  /// They wait no longer.
  package mutating func releaseHeldBack() { edge.releaseHeldBack() }

  /// Requests that are open and that other loops were asked.
  package var remoteRequestCount: Int { peers.openCount }
}
