import HotData
import JSONRPC
import TaskStore

/// The loop that has a member's partitions. Requests that come too early wait, requests for another member's partitions
/// go back, and a partition that was given away leaves nothing here.
extension GatewayCore {
  // MARK: Having partitions

  /// A partition is this member's from now on.
  /// - Parameter isExclusive: no work of an earlier owner goes on any more.
  package mutating func gained(_ partition: Int, epoch: UInt32, isExclusive: Bool) {
    lanes.gain(partition, epoch: epoch, exclusiveFrom: isExclusive ? 0 : exclusiveMilliseconds)
    lookAgain(at: partition)
  }

  /// When all work of now has ended, whichever owner started it: a task can run so long, and then drain.
  private var exclusiveMilliseconds: UInt64 {
    nowMilliseconds + (configuration.fleet.takeoverMilliseconds ?? configuration.longestTaskMilliseconds)
  }

  /// Somebody has a partition under this epoch: what was asked under it, or a lower one, is not for this member.
  package mutating func heard(ofPartition partition: Int, epoch: UInt32) {
    lanes.hear(ofPartition: partition, epoch: epoch)
    lookAgain(at: partition)
  }

  /// It is to be given away: nothing more is taken, and `takeDrained` says when nothing is left of it.
  package mutating func drain(partition: Int) {
    let until = nowMilliseconds + configuration.fleet.handoverMilliseconds
    lanes.drain(partition: partition, until: until)
    lookAgain(at: partition)
  }

  /// Drained partitions, to be given away. To be called when all messages have been handed out.
  /// - Returns: with each, whether none of its work goes on, whichever owner had started that.
  package mutating func takeDrained() -> [(partition: Int, isExclusive: Bool)] {
    lanes.hasPartitions ? lanes.takeDrained() : []
  }

  /// Partitions that need a higher epoch soon: else nothing more can be admitted of them, and what comes goes back. Each is
  /// said once. To be asked for at the end of each turn.
  package mutating func takeSpent() -> [Int] { lanes.hasPartitions ? lanes.takeSpent() : [] }

  /// As if so many more requests had been admitted: histories and tests cannot wait for that.
  package mutating func skipGenerations(_ count: UInt64) { lanes.skipGenerations(count) }

  /// A partition is another's: whatever is left of it ends.
  package mutating func lost(_ partition: Int) {
    lanes.lose(partition: partition)
    failTasks(of: partition)
    lookAgain(at: partition)
  }

  /// This member has been declared dead: others have all its partitions, and their clients hear no more from it. The
  /// shell tells the asking loops: those of this process by `placeHasForgotten`, others by the end of their connection.
  /// - Returns: the mirrors of all clients, which are gone: nothing is to be said of them.
  package mutating func forgetAll() -> [ClientID] {
    for upstream in upstreams.slots where upstreams.isThere(upstream) && !upstreams.takesExchanges(upstream) {
      // What is still to be written there was decided when it was not known yet.
      for session in upstreams.sessions(of: upstream) where upstreams.isConnected(session) { lose(session) }
    }
    for slot in upstreams.callSlots {
      if let task = lanes.task(inSlot: slot) { fail(task, .upstreamUnavailable) }
    }
    countLost(lanes.takeBackPutOff { _, _ in true })
    lanes.loseAllPartitions()
    return (0..<peers.loop.placeCount).flatMap { place in
      peers.forgetMirrors(at: place)
      return removeMirrors(at: place)
    }
  }

  /// The time of a partition to drain is over. Callers are refused and upstream is told to cancel; tasks that were told
  /// before are given up.
  private mutating func cut(_ partition: Int) {
    for slot in lanes.tasks(ofPartition: partition) {
      guard let task = lanes.task(inSlot: slot) else { continue }
      if lanes.isLive(task) { end(task, because: .shuttingDown) }
    }
    let grace = lanes.tasks(ofPartition: partition).reduce(configuration.drainMilliseconds) { grace, slot in
      max(grace, lanes.drainMilliseconds(inSlot: slot))
    }
    lanes.limit(partition: partition, to: nowMilliseconds + UInt64(grace))
  }

  /// It is given away: what upstream has not ended by now is given up. What would have had to be undone may still be at
  /// work, and others must not be done beside it.
  private mutating func giveUp(_ partition: Int) {
    let isAtWork = lanes.tasks(ofPartition: partition).contains { slot in
      lanes.isCompensated(slot) && upstreams.call(slot).hasBeenSent
    }
    if isAtWork { lanes.delayExclusive(partition: partition, until: exclusiveMilliseconds) }
    failTasks(of: partition)
  }

  private mutating func failTasks(of partition: Int) {
    for slot in lanes.tasks(ofPartition: partition) {
      if let task = lanes.task(inSlot: slot) { fail(task, .upstreamUnavailable) }
    }
  }

  /// Nobody is there any more whom the mirrors of a loop's clients stand for.
  mutating func removeMirrors(at place: Int) -> [ClientID] {
    let mirrors = peers.mirrors(at: place)
    peers.forgetStrangers(at: place)
    if lanes.hasPutOff {
      countLost(lanes.takeBackPutOff { waiting, _ in waiting.loop == place })
      for (_, mirror) in mirrors { _ = peers.takeWaits(mirror) }
    }
    for mirror in peers.mirrorsThatEnded(at: place) { edge.setHeldUp(mirror, false) }
    return mirrors.map { client, mirror in
      peers.part(client, at: place)
      remove(mirror)
      return ClientID(slot: mirror)
    }
  }

  // MARK: Requests that come too early, or too late

  /// Whether a request about a partition is not for this moment, or not for this member.
  mutating func putsOff(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int, about claim: PartitionClaim
  ) -> Bool {
    guard let name = peers.name(ofMirror: mirror) else { return true }
    let isForeign = OwnMethod(envelope, in: bytes) == .foreign
    switch lanes.receive(claim, isForeign: isForeign) {
    case .outOfPlace: return isOutOfPlace(bytes, envelope, of: mirror)
    case .now: return false
    case .nowUnlessAlone:
      guard isForeign else { return false }
      let (labels, isAlone) = waiting(bytes, envelope, of: mirror)
      // A newer request does not overtake one that waits for the same key.
      guard isAlone || lanes.hasPutOff(key: labels.key, about: claim) else { return false }
      return putOff(bytes, envelope, of: mirror, name, about: claim, labels, isAlone: isAlone)
    case .early:
      let (labels, isAlone) = waiting(bytes, envelope, of: mirror)
      return putOff(bytes, envelope, of: mirror, name, about: claim, labels, isAlone: isAlone)
    case .moved:
      if lanes.isDraining(claim) { supersede(bytes, envelope, of: mirror, about: claim) }
      peers.giveBack(envelope, in: bytes, to: name, about: claim)
      return true
    }
  }

  /// A request goes to the next owner of its partition. Tasks that it will surely supersede there are superseded here
  /// at once.
  private mutating func supersede(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int, about claim: PartitionClaim
  ) {
    guard OwnMethod(envelope, in: bytes) == .foreign, edge.hasNoRules(mirror) else { return }
    guard let (intent, _) = wanted(bytes, envelope), intent.admission.policy.supersedesAtAdmission,
      intent.admission.join == .never,
      intent.admission.maxStaleMilliseconds == 0, !intent.said.contains(.order),
      let label = edge.withKey(
        intent.key, in: bytes,
        { lanes.lane(of: $0, namespace: edge.namespace(intent.scope, of: mirror)) }), let key = label
    else { return }
    guard lanes.beginGenerations(of: Int(claim.partition)) else { return }
    let before = edge.counters.supersededCallers
    lanes.supersede(in: key, by: intent.admission.policy)
    performEffects()
    if edge.asksWho(mirror) { countSuperseded(since: before, of: edge.account(of: mirror)) }
  }

  /// What is about no partition is for the gateway itself, or for somebody else.
  private mutating func isOutOfPlace(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int
  ) -> Bool {
    guard OwnMethod(envelope, in: bytes) == .foreign else { return false }
    let error = RPCError.invalidRequest.with(message: "a member asks for a key, and names no partition")
    edge.refuseMessage(error, of: envelope, in: bytes, from: Sender(client: mirror))
    return true
  }

  /// - Returns: true; it may have been refused.
  private mutating func putOff(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int, _ name: MirrorName,
    about claim: PartitionClaim, _ labels: RequestLabels, isAlone: Bool
  ) -> Bool {
    guard !lanes.putsOffMuch(of: name, within: configuration.fleet.parkedBytes) else {
      edge.countRequest(envelope)
      edge.reject(Overload.tooMuchForFleet, envelope, in: bytes, from: Sender(client: mirror))
      return true
    }
    lanes.putOff(envelope, in: bytes, about: claim, of: name, labels, isAlone: isAlone)
    peers.noteWaits(mirror)
    edge.setHeldUp(mirror, true)
    return true
  }

  /// What a request wants, and its route; nil: it has a fault, which its admission will tell.
  private mutating func wanted(
    _ bytes: Span<UInt8>, _ envelope: Envelope
  ) -> (intent: TaskIntent, route: Int)? {
    let route = edge.route(of: envelope, in: bytes)
    var intent = edge.usualIntent
    let isRight = (try? edge.read(envelope, route, isPerConnection: false, in: bytes, into: &intent)) != nil
    return isRight ? (intent, route) : nil
  }

  /// What a request is found by should it have to wait, and whether it must not start while something of its key may still
  /// be at work.
  private mutating func waiting(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of mirror: Int
  ) -> (labels: RequestLabels, isAlone: Bool) {
    guard let (intent, route) = wanted(bytes, envelope) else { return (RequestLabels(), false) }
    let namespace = edge.namespace(intent.scope, of: mirror)
    let labels = RequestLabels(
      key: edge.withKey(intent.key, in: bytes) { peers.label(ofKey: $0, namespace) } ?? 0,
      group: edge.withGroup(intent.group, in: bytes) { peers.label(ofGroup: $0) } ?? 0)
    let isCompensated = route >= 0 && edge.wishes(of: route).compensation >= 0
    return (labels, intent.admission.policy.waitsForEarlier || isCompensated)
  }

  /// Something has become of a partition: what waits for it may go on, or go back.
  private mutating func lookAgain(at partition: Int) {
    if let queue = lanes.takePutOff(partition) { goOn(with: queue) }
  }

  /// - Parameter isFreed: nothing that still waits was asked before it.
  private mutating func goOn(with waiting: RequestQueue, isFreed: Bool = false) {
    var queue = waiting
    queue.seal()
    let bytes = queue.batch.bytes.span
    for (event, place) in zip(queue.batch.events, queue.places) where !place.isTakenBack {
      guard case .request(_, let envelope, let claim) = event, let mirror = peers.mirror(of: place) else {
        continue
      }
      if isFreed, edge.isReading(mirror), case .nowUnlessAlone = lanes.receive(claim, isForeign: true) {
        ask(bytes, envelope, of: mirror)
      } else {
        asked(bytes, envelope, by: mirror, about: claim)
      }
    }
    endWaits(of: queue.places)
  }

  /// These do not wait any more, unless they were put off again. Mirrors that stayed for them may go.
  private mutating func endWaits(of places: [RequestQueue.Place]) {
    for place in places {
      guard let mirror = peers.mirror(of: place), let name = peers.name(ofMirror: mirror) else { continue }
      edge.setHeldUp(mirror, lanes.putsOff(of: name))
    }
  }

  /// A client takes back what waits here under a call's number; returns how many requests that were.
  mutating func cancelPutOff(_ call: ByteRange, in bytes: Span<UInt8>, of mirror: Int) -> Int {
    guard let number = JSONNumber.nonNegativeInteger(call, in: bytes),
      let name = peers.name(ofMirror: mirror)
    else { return 0 }
    return refuse(lanes.takeBackPutOff(of: name) { $1 == number })
  }

  /// Takes back what waits here for one of these keys.
  mutating func cancelPutOff(
    ofKey label: Label, in bytes: Span<UInt8>, _ namespaces: [Namespace]
  ) {
    let keys = namespaces.compactMap { namespace in
      edge.targetKeys.withBytes(of: label, in: bytes) { peers.label(ofKey: $0, namespace) }
    }
    refuse(lanes.takeBackPutOff { place, _ in keys.contains(place.labels.key) })
  }

  /// Takes back what waits here of a group of these mirrors.
  mutating func cancelPutOff(ofGroup label: Label, in bytes: Span<UInt8>, of mirrors: [Int]) {
    guard let group = edge.targetGroups.withBytes(of: label, in: bytes, { peers.label(ofGroup: $0) }) else {
      return
    }
    for name in mirrors.compactMap({ peers.name(ofMirror: $0) }) {
      refuse(lanes.takeBackPutOff(of: name) { place, _ in place.labels.group == group })
    }
  }

  /// Nobody is there any more whose requests wait here.
  mutating func forgetPutOff(of mirror: Int) {
    guard lanes.hasPutOff, peers.takeWaits(mirror), let name = peers.name(ofMirror: mirror) else { return }
    let taken = lanes.takeBackPutOff(of: name) { _, _ in true }
    workBytes += taken.count * Self.bytesPerEndedRequest
    countLost(taken)
  }

  /// Of what waited here and will not be asked, nobody hears what became of the notifications.
  private mutating func countLost(_ taken: [(place: RequestQueue.Place, call: UInt64?)]) {
    edge.counters.notificationsLost &+= UInt64(taken.count { $0.call == nil })
  }

  /// Refuses the requests that were taken back.
  /// - Returns: how many requests these were.
  @discardableResult
  private mutating func refuse(_ taken: [(place: RequestQueue.Place, call: UInt64?)]) -> Int {
    for (place, call) in taken {
      guard let call, let mirror = peers.mirror(of: place) else { continue }
      edge.refuseUnadmitted(.cancelled, RequestID(call), of: mirror)
    }
    endWaits(of: taken.map(\.place))
    return taken.count { $0.call != nil }
  }

  // MARK: Time

  /// The loop stands still since the last `timeAdvanced`, with what that turn has decided unsaid: drains and undoings are
  /// counted from when upstream hears of them. To be called before the next `timeAdvanced`.
  package mutating func stoodStill(until milliseconds: UInt64) {
    guard milliseconds > nowMilliseconds else { return }
    lanes.stoodStill(forMilliseconds: milliseconds - nowMilliseconds)
  }

  mutating func firePartitions() {
    expireRemoteCalls()
    guard lanes.partitionsDueMilliseconds <= nowMilliseconds else { return }
    for queue in lanes.takeFreed() { goOn(with: queue, isFreed: true) }
    for (partition, isCut) in lanes.takeOverduePartitions() {
      if isCut { giveUp(partition) } else { cut(partition) }
    }
    for partition in lanes.takeExclusivePartitions() { lookAgain(at: partition) }
  }
}
