import HotData
import JSONRPC
import TaskStore

/// Requests whose keys other loops have: they are passed on, and what comes back is their clients'.
extension GatewayCore {
  /// Passes a request on that is about what another loop has; returns whether it did, or answered it.
  @inline(__always)
  mutating func passesOn(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    method == .foreign
      ? passesOn(bytes, envelope, from: sender) : passesOnOwn(method, bytes, envelope, from: sender)
  }

  /// The same of a request of ours.
  @inline(never)
  private mutating func passesOnOwn(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    switch method {
    case .cancel: return passesOnCancel(bytes, envelope, from: sender)
    case .cancelRequest:
      guard let id = CancelledID.member("id", of: envelope, in: bytes) else { return false }
      return passesOnCancel(ofID: id, bytes, envelope, isCounted: false, from: sender)
    case .inspect:
      guard let places = placesOfTarget(envelope, in: bytes, keyOnly: true, of: sender.client) else {
        return false
      }
      return passesOnInspection(bytes, envelope, to: places, from: sender)
    case .foreign, .call, .ping, .discover, .authenticate, .unknown: return false
    }
  }

  /// The same of a mirror: whatever it asks is done here, but what it takes back of its session may be elsewhere.
  @inline(never)
  mutating func passesOnOfMirror(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    var id: ByteRange?
    var isCounted = false
    switch method {
    case .cancelRequest: id = CancelledID.member("id", of: envelope, in: bytes)
    case .cancel:
      guard case .id(let target)? = edge.knownTarget(bytes, envelope, keyOnly: false) else { return false }
      (id, isCounted) = (target, true)
    case .foreign, .call, .ping, .inspect, .discover, .authenticate, .unknown: return false
    }
    guard let id, let waiter = newest(withID: id, in: bytes, of: sender.client), lanes.isRemote(waiter) else {
      return false
    }
    cancelRemote(waiter, bytes, envelope, isCounted: isCounted, from: sender)
    return true
  }

  /// Faults of a request are mostly found here, as if there were no other loops; else by the loop that has its key.
  @inline(__always)
  mutating func passesOn(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) -> Bool {
    let client = sender.client
    guard !isDraining, !edge.isLeaving(client) else { return false }
    let route = edge.route(of: envelope, in: bytes)
    let upstream = edge.upstream(of: route)
    if upstreams.terms(of: upstream).isPerConnection {
      guard edge.isExchange(client), configuration.upstreams[upstream].placeForPosts != nil else {
        return false
      }
    }
    if envelope.isNotification, edge.idTakenBack(envelope, in: bytes, at: upstream) != nil { return false }
    var key: (label: Label, scope: TaskIntent.Scope?, timeout: UInt32)
    var group = Label.none
    var times = RemoteTimes()
    // How long its caller waits is of interest only where the key may be another process's.
    if route < 0, !peers.loop.isInFleet, let label = edge.fastKey(of: envelope) {
      key = (label, nil, Admission.unlimited)
    } else {
      var intent = edge.usualIntent
      do throws(RPCError) {
        try edge.read(envelope, route, isPerConnection: false, in: bytes, into: &intent)
      } catch {
        return false
      }
      if edge.streams(intent), pieceFault(envelope, in: bytes, from: sender) != nil { return false }
      key = (intent.key, intent.scope, intent.admission.timeoutMilliseconds)
      if peers.loop.isInFleet {
        group = intent.group
        times = edge.remoteTimes(intent, route)
      }
    }
    guard let place = place(of: key.label, key.scope, in: bytes, client), place.loop != peers.loop.number
    else { return false }
    forward(bytes, envelope, to: place, isOwn: false, timeout: key.timeout, times, group, from: sender)
    return true
  }

  // MARK: Whose

  /// The loop with a request's key; nil: it has no key, or its connection has the key for itself.
  @inline(__always)
  private mutating func place(
    of key: Label, _ scope: TaskIntent.Scope?, in bytes: Span<UInt8>, _ client: Int
  ) -> KeyPlace? {
    guard edge.namespace(scope, of: client).scope == .shared else {
      guard !key.isNone, let session = place(ofSessionOf: client) else { return nil }
      return edge.withKey(key, in: bytes) { peers.place(of: $0, in: session) }
    }
    let owner = owner(of: client)
    return edge.withKey(key, in: bytes) { peers.place(of: $0, owner) }
  }

  @inline(__always)
  private func owner(of client: Int) -> UInt64 {
    peers.owner(listener: edge.listener(of: client), namespace: edge.namespaceName(of: client))
  }

  /// The loop with the own keys of a session's POSTs, wherever they come; nil: the client is no POST of a session.
  @inline(never)
  private mutating func place(ofSessionOf client: Int) -> KeyPlace? {
    guard edge.isExchange(client), let text = edge.sessionText(of: client) else { return nil }
    return peers.place(of: text.span, ~owner(of: client))
  }

  /// The loops with the lanes of one of our own requests; nil: it is refused here, or is about no key.
  mutating func placesOfTarget(
    _ envelope: Envelope, in bytes: Span<UInt8>, keyOnly: Bool, of client: Int
  ) -> [KeyPlace]? {
    guard case .key(let label, let scope)? = edge.knownTarget(bytes, envelope, keyOnly: keyOnly) else {
      return nil
    }
    var places: [KeyPlace] = []
    let usual = edge.namespace(scope, of: client).scope
    if usual == .shared {
      let owner = owner(of: client)
      let shared = edge.targetKeys.withBytes(of: label, in: bytes) { peers.place(of: $0, owner) }
      if let shared { places.append(shared) }
    }
    guard scope == nil || usual == .connection else { return places }
    let session = place(ofSessionOf: client)
    let ofSession = session.flatMap { session in
      edge.targetKeys.withBytes(of: label, in: bytes) { peers.place(of: $0, in: session) }
    }
    let own = ofSession ?? KeyPlace(loop: peers.loop.number)
    // There, mostly, is nothing of it.
    let mayHaveOwn =
      own.loop != peers.loop.number
      || lanes.lane(
        of: label, readBy: edge.targetKeys, in: bytes, namespace: edge.namespace(.connection, of: client))
        != nil
    let isKnown = places.contains { $0.loop == own.loop && $0.loop >= 0 }
    if mayHaveOwn || places.isEmpty, !isKnown { places.append(own) }
    return places
  }

  // MARK: Asking

  /// Passes a request on to another loop, where it counts for its client's mirror, or has it wait until that is possible.
  /// - Parameters:
  ///   - timeout: how long its caller waits for another process.
  ///   - times: how long its caller waits once that process has said something.
  ///   - group: the group by which it is taken back while it waits here.
  mutating func forward(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to place: KeyPlace, isOwn: Bool, timeout: UInt32,
    _ times: RemoteTimes = RemoteTimes(), _ group: Label = .none, from sender: Sender
  ) {
    if !envelope.isNotification, edge.isAtABound(sender.client, isOwn: isOwn) {
      return refuse(envelope, because: .tooManyUnanswered, in: bytes, from: sender)
    }
    if !envelope.isNotification, hasAllCallers(sender.client, times: isOwn ? 2 : 1) {
      return refuseCaller(envelope, in: bytes, from: sender)
    }
    if place.loop >= 0, peers.isSlow(place.loop),
      let overload = overload(of: place.loop, by: envelope, of: sender.client, isOwn: isOwn)
    {
      return refuse(envelope, because: overload, in: bytes, from: sender)
    }
    if place.loop < 0, parksMuch(of: sender.client) {
      return refuse(envelope, because: .tooMuchForFleet, in: bytes, from: sender)
    }
    var call: UInt64?
    if !envelope.isNotification {
      guard let waiter = addRemoteCaller(envelope, in: bytes, group, from: sender) else { return }
      call = peers.begin(waiter, at: place, of: sender.client, isOwn: isOwn)
      limit(waiter, to: timeout, times)
    }
    guard place.loop >= 0 else {
      return peers.park(envelope, in: bytes, call, of: sender.client, at: place)
    }
    introduce(sender.client, to: place.loop)
    if isOwn { takeBackSent(before: envelope, in: bytes, named: place.name, by: sender.client) }
    peers.ask(envelope, in: bytes, call: call, of: sender.client, at: place)
  }

  /// Why a slow loop is not asked; nil: it is. Cancels and inspections have as much room once more.
  @inline(never)
  private mutating func overload(
    of loop: Int, by envelope: Envelope, of client: Int, isOwn: Bool
  ) -> Overload? {
    if peers.isBehind(loop) { return Overload("the loop that has the key does not keep up") }
    let byteCount = PeerBatch.byteCount(of: envelope)
    return peers.takesRoom(byteCount, of: client, at: loop, isOwn: isOwn) ? nil : .tooMuchOfOne
  }

  mutating func refuse(
    _ envelope: Envelope, because overload: Overload, in bytes: Span<UInt8>, from sender: Sender
  ) {
    guard OwnMethod(envelope, in: bytes) == .foreign else {
      return edge.refuseMessage(overload, of: envelope, in: bytes, from: sender)
    }
    edge.countRequest(envelope)
    edge.reject(overload, envelope, in: bytes, from: sender)
  }

  /// Of its principal as many wait as may.
  @inline(never)
  mutating func refuseCaller(_ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender) {
    let overload = Overload.tooManyCallers
    noteRefusal(overload, ofPrincipalOf: sender.client)
    refuse(envelope, because: overload, in: bytes, from: sender)
  }

  @inline(__always)
  mutating func introduce(_ client: Int, to loop: Int) {
    if !peers.knows(client, at: loop) { peers.introduce(edge.remote(client), to: loop) }
  }

  /// Somebody waits for other loops from now on; nil: there is no room for that, and it has been refused.
  @inline(__always)
  mutating func addRemoteCaller(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ group: Label = .none, from sender: Sender
  ) -> WaiterID? {
    guard let waiter = addRemoteWaiter() else {
      refuse(envelope, because: Overload(.waiters), in: bytes, from: sender)
      return nil
    }
    let group = group.isNone ? -1 : edge.internGroup(group, in: bytes, of: sender.client)
    edge.addCaller(waiter, envelope, in: bytes, group: group, from: sender)
    return waiter
  }

  /// It counts as an open request until the deciding loop counts it for good.
  @inline(__always)
  mutating func addRemoteWaiter() -> WaiterID? {
    guard let waiter = lanes.addRemoteWaiter() else { return nil }
    guard waiter.slot < Peers.mostSlots else {
      lanes.removeRemoteWaiter(waiter)
      return nil
    }
    edge.counters.admitted += 1
    return waiter
  }

  /// - Parameter isCounted: what became of it was decided here, and is counted here.
  mutating func end(_ waiter: WaiterID, isCounted: Bool = false) {
    let partition = peers.end(waiter)
    if peers.hasGatherings {
      for part in peers.takeParts(of: waiter) { forget(part: part) }
    }
    if !isCounted { edge.counters.admitted -= 1 }
    lanes.removeRemoteWaiter(waiter)
    if partition >= 0, peers.hasParked(partition) { goOn(with: partition) }
  }

  /// The clients that waited for another loop are gone.
  mutating func forgetRemote(_ waiter: WaiterID) {
    edge.forgetCaller(waiter)
    end(waiter)
  }

  // MARK: Hearing

  /// Answers of another loop, in the order in which it gave them.
  /// - Returns: where to go on after a client got much; 0: that was all.
  mutating func heardAnswers(_ bytes: Span<UInt8>, _ answers: Range<Int>, _ framing: Framing) -> Int {
    var framer = MessageFramer(limitBytes: .max, framing: framing)
    var offset = answers.lowerBound
    while case .inPlace(let message) = framer.next(in: bytes, count: answers.upperBound, from: &offset) {
      heardAnswer(bytes, message)
      if edge.hasBurst, offset < answers.upperBound { return offset }
    }
    return 0
  }

  private mutating func heardAnswer(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    guard let head = AnswerHead(of: message, in: bytes) else { return heardRemotePiece(bytes, message) }
    guard let call = JSONNumber.nonNegativeInteger(head.id, in: bytes) else { return }
    heardAnswer(bytes, AnswerBody(of: head), toCall: call)
  }

  mutating func heardAnswer(_ bytes: Span<UInt8>, _ answer: AnswerBody, toCall call: UInt64) {
    guard let waiter = peers.waiter(ofCall: call) else { return }
    if let gathering = peers.gathering(of: waiter) { return heardPart(bytes, answer, waiter, for: gathering) }
    // The other loop does not know that it goes into a text beside others.
    if edge.isInBatch(waiter), !isJSON(answer, in: bytes) {
      return refuse(waiter, .badAnswer(.unreadable), isSent: true)
    }
    edge.pass(answer, in: bytes, to: waiter)
    end(waiter)
  }

  /// Whether an answer is what it should be: it may be of an upstream that is trusted.
  func isJSON(_ answer: AnswerBody, in bytes: Span<UInt8>) -> Bool {
    JSONText.isValue(bytes, in: answer.range, nestingLevels: configuration.upstreamNestingLevels)
  }
}
