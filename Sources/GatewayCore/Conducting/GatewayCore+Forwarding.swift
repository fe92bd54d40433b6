import HotData
import JSONRPC
import TaskStore

/// Requests whose keys other loops have: they are passed on, and what comes back is their clients'.
extension GatewayCore {
  /// Passes a request on that is about what another loop has; returns whether it did, or answered it.
  @inline(never)
  mutating func passesOn(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    switch method {
    case .foreign: return passesOn(bytes, envelope, from: sender)
    case .cancel: return passesOnCancel(bytes, envelope, from: sender)
    case .cancelRequest:
      guard let id = CancelledID.member("id", of: envelope, in: bytes) else { return false }
      return passesOnCancel(ofID: id, bytes, envelope, isCounted: false, from: sender)
    case .inspect:
      guard let places = placesOfTarget(envelope, in: bytes, keyOnly: true, of: sender.client) else {
        return false
      }
      return passesOn(bytes, envelope, toOneOf: places, from: sender)
    case .call, .ping, .discover, .authenticate, .unknown: return false
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

  /// What is wrong with a request is mostly found here, as if there were no others; or else by the loop that has its key.
  private mutating func passesOn(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) -> Bool {
    let client = sender.client
    guard !isDraining, !edge.isLeaving(client), !edge.isAtABound(client) else { return false }
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
    // How long its caller waits is of interest only where the key may be another process's.
    if route < 0, !peers.loop.isInFleet, let label = edge.usualKey(of: envelope) {
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
      if peers.loop.isInFleet { group = intent.group }
    }
    guard let place = place(of: key.label, key.scope, in: bytes, client), place.loop != peers.loop.number
    else { return false }
    forward(bytes, envelope, to: place, isOwn: false, timeout: key.timeout, group, from: sender)
    return true
  }

  // MARK: Whose

  /// Who has a request's key; nil: it has none, or its connection has it for itself.
  private func place(
    of key: Label, _ scope: TaskIntent.Scope?, in bytes: Span<UInt8>, _ client: Int
  ) -> KeyPlace? {
    guard edge.namespace(scope, of: client).scope == .shared else {
      return key.isNone ? nil : place(ofSessionOf: client)
    }
    let owner = owner(of: client)
    return edge.withKey(key, in: bytes) { peers.place(of: $0, owner) }
  }

  private func owner(of client: Int) -> UInt64 {
    peers.owner(listener: edge.listener(of: client), namespace: edge.namespaceName(of: client))
  }

  /// Who has the own keys of the POSTs of a session, wherever they come; nil: it is no such session.
  private func place(ofSessionOf client: Int) -> KeyPlace? {
    guard edge.isExchange(client), let text = edge.sessionText(of: client) else { return nil }
    return peers.place(of: text.span, ~owner(of: client))
  }

  /// Who has the lanes that a request of ours is about; nil: it is refused where it came, or is about no key.
  private mutating func placesOfTarget(
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
    let own = place(ofSessionOf: client) ?? KeyPlace(loop: peers.loop.number)
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
  ///   - group: what it is taken back by while it waits here.
  private mutating func forward(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to place: KeyPlace, isOwn: Bool, timeout: UInt32,
    _ group: Label = .none, from sender: Sender
  ) {
    if place.loop >= 0, peers.isBehind(place.loop) {
      return refuse(envelope, because: "the loop that has the key does not keep up", in: bytes, from: sender)
    }
    if place.loop < 0, hasParkedAll {
      return refuse(envelope, because: "too much waits for the fleet", in: bytes, from: sender)
    }
    var call: UInt64?
    if !envelope.isNotification {
      guard let waiter = addRemoteCaller(envelope, in: bytes, group, from: sender) else { return }
      call = peers.begin(waiter, at: place, of: sender.client, isOwn: isOwn)
      limit(waiter, to: timeout)
    }
    guard place.loop >= 0 else {
      return peers.park(
        envelope, in: bytes, call, of: sender.client, at: place.partition, isBack: false)
    }
    introduce(sender.client, to: place.loop)
    peers.ask(envelope, in: bytes, call: call, of: sender.client, at: place)
  }

  private mutating func refuse(
    _ envelope: Envelope, because message: String, in bytes: Span<UInt8>, from sender: Sender
  ) {
    edge.countRequest(envelope)
    edge.reject(.overloaded.with(message: message), envelope, in: bytes, from: sender)
  }

  mutating func introduce(_ client: Int, to loop: Int) {
    if !peers.knows(client, at: loop) { peers.introduce(edge.remote(client), to: loop) }
  }

  /// Somebody waits for other loops from now on; nil: there is no room for that, and it has been refused.
  private mutating func addRemoteCaller(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ group: Label = .none, from sender: Sender
  ) -> WaiterID? {
    guard let waiter = addRemoteWaiter() else {
      refuse(envelope, because: "too many callers", in: bytes, from: sender)
      return nil
    }
    let group = group.isNone ? -1 : edge.internGroup(group, in: bytes, of: sender.client)
    edge.addCaller(waiter, envelope, in: bytes, group: group, from: sender)
    return waiter
  }

  /// It counts among the requests that are open, and then no more: who decides on it counts it for good.
  private mutating func addRemoteWaiter() -> WaiterID? {
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
    let partition = peers.partition(of: waiter)
    for part in peers.end(waiter) { end(part) }
    if !isCounted { edge.counters.admitted -= 1 }
    lanes.removeRemoteWaiter(waiter)
    if partition >= 0, peers.hasParked(partition) { goOn(with: partition) }
  }

  /// Nobody is there any more who waited for another loop.
  mutating func forgetRemote(_ waiter: WaiterID) {
    edge.forgetCaller(waiter)
    end(waiter)
  }

  // MARK: Taking back

  /// `lastword.cancel`: what it is about may be elsewhere, and at several loops.
  private mutating func passesOnCancel(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) -> Bool {
    switch edge.knownTarget(bytes, envelope, keyOnly: false) {
    case nil: return false
    case .id(let id): return passesOnCancel(ofID: id, bytes, envelope, isCounted: true, from: sender)
    case .key:
      guard let places = placesOfTarget(envelope, in: bytes, keyOnly: false, of: sender.client) else {
        return false
      }
      guard passesOn(bytes, envelope, toAllOf: places, isNull: false, from: sender) else { return false }
      for place in places where place.loop >= 0 { takeBackSent(named: place.name, by: sender.client) }
      return true
    case .group(_, .principal) where !edge.asksWho(sender.client): return false
    case .group(_, let scope):
      let isEverywhere = scope == .principal || edge.sessionText(of: sender.client) != nil
      let loops = isEverywhere ? peers.others : peers.loops(of: sender.client)
      return passesOn(bytes, envelope, toHereAnd: loops, isNull: false, from: sender)
    }
  }

  /// The request may be another loop's; that of a session of POSTs may have come to any.
  private mutating func passesOnCancel(
    ofID id: ByteRange, _ bytes: Span<UInt8>, _ envelope: Envelope, isCounted: Bool, from sender: Sender
  ) -> Bool {
    if let waiter = newest(withID: id, in: bytes, of: sender.client) {
      guard lanes.isRemote(waiter) else { return false }
      cancelRemote(waiter, bytes, envelope, isCounted: isCounted, from: sender)
      return true
    }
    guard edge.sessionText(of: sender.client) != nil else { return false }
    return passesOn(bytes, envelope, toHereAnd: peers.others, isNull: !isCounted, from: sender)
  }

  /// Takes back what another loop was asked: what came of it that loop says, to its caller and to who takes it back.
  mutating func cancelRemote(
    _ waiter: WaiterID, _ bytes: Span<UInt8>, _ envelope: Envelope, isCounted: Bool, from sender: Sender
  ) {
    let call = peers.call(of: waiter)
    guard !call.isParked else {
      refuse(waiter, .cancelled, isSent: false)
      return edge.answer(
        isCounted ? Self.cancelled(1) : Array("null".utf8), to: envelope, in: bytes, of: sender)
    }
    var answer: UInt64?
    if !envelope.isNotification {
      guard let caller = addRemoteCaller(envelope, in: bytes, from: sender) else { return }
      answer = peers.begin(caller, at: KeyPlace(loop: Int(call.loop)), of: sender.client, isOwn: true)
      limit(caller, to: edge.usualIntent.admission.timeoutMilliseconds)
    }
    peers.cancel(
      call.number, answer: answer, isCounted: isCounted, of: Int(call.client), at: Int(call.loop))
  }

  /// What is on its way before a cancel by key, and comes back behind it, is not sent again.
  mutating func takeBackSent(named name: UInt64, by client: Int) {
    guard name != 0, edge.mayCancelByKey(client) else { return }
    share.spend(messages: peers.callSlotCount / Self.clientsPerMessage)
    peers.takeBackSent(named: name)
  }

  /// Requests of a group: what waits here ends, and what other loops were asked, which do their part, is not sent again.
  mutating func cancelRemote(_ waiters: [WaiterID]) {
    for waiter in waiters {
      if peers.call(of: waiter).isParked {
        refuse(waiter, .cancelled, isSent: false)
      } else {
        peers.takeBackSent(waiter)
      }
    }
  }

  // MARK: Several loops

  /// Passes on what is about one of them; what is about more is shown as the first has it.
  private mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toOneOf places: [KeyPlace], from sender: Sender
  ) -> Bool {
    guard let place = places.first, place.loop != peers.loop.number else { return false }
    forwardOwn(bytes, envelope, to: place, from: sender)
    return true
  }

  /// A request of ours is about what another loop has.
  private mutating func forwardOwn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to place: KeyPlace, from sender: Sender
  ) {
    let timeout = edge.usualIntent.admission.timeoutMilliseconds
    forward(bytes, envelope, to: place, isOwn: true, timeout: timeout, from: sender)
  }

  private mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toHereAnd loops: [Int], isNull: Bool, from sender: Sender
  ) -> Bool {
    let places = ([peers.loop.number] + loops).map { KeyPlace(loop: $0) }
    return passesOn(bytes, envelope, toAllOf: places, isNull: isNull, from: sender)
  }

  /// Has all these loops do what a request asks; it is answered with the sum of what they did.
  private mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toAllOf places: [KeyPlace], isNull: Bool,
    from sender: Sender
  ) -> Bool {
    let others = places.filter { $0.loop != peers.loop.number }
    guard !others.isEmpty else { return false }
    let isHere = others.count < places.count
    if others.count == 1 && !isHere && !isNull {
      forwardOwn(bytes, envelope, to: others[0], from: sender)
      return true
    }
    if let target = edge.knownTarget(bytes, envelope, keyOnly: false) {
      guard edge.mayCancel(target, bytes, envelope, from: sender) else { return true }
    }
    guard !envelope.isNotification else {
      for place in others { forwardOwn(bytes, envelope, to: place, from: sender) }
      return !isHere
    }
    let count = isHere ? cancelHere(bytes, envelope, of: sender.client) : 0
    guard let waiter = addRemoteCaller(envelope, in: bytes, from: sender) else { return true }
    _ = peers.begin(waiter, at: KeyPlace(loop: peers.loop.number), of: sender.client, isOwn: true)
    peers.gather(for: waiter, from: count, isNull: isNull)
    for place in others { askPart(bytes, envelope, of: place, for: waiter, from: sender) }
    return true
  }

  /// Has another loop do its part of what a request asks.
  private mutating func askPart(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of place: KeyPlace, for waiter: WaiterID,
    from sender: Sender
  ) {
    guard let part = addRemoteWaiter() else { return }
    let call = peers.begin(part, at: place, of: sender.client, isOwn: true, gathering: waiter)
    peers.addPart(part, for: waiter)
    limit(part, to: edge.usualIntent.admission.timeoutMilliseconds)
    guard place.loop >= 0 else {
      return peers.park(
        envelope, in: bytes, call, of: sender.client, at: place.partition, isBack: false)
    }
    introduce(sender.client, to: place.loop)
    peers.ask(envelope, in: bytes, call: call, of: sender.client, at: place)
  }

  // MARK: Hearing

  /// Answers of another loop, in the order in which it gave them.
  mutating func heardAnswers(_ bytes: Span<UInt8>, _ answers: Range<Int>, _ framing: Framing) {
    var framer = MessageFramer(limitBytes: .max, framing: framing)
    var offset = answers.lowerBound
    while case .inPlace(let message) = framer.next(in: bytes, count: answers.upperBound, from: &offset) {
      heardAnswer(bytes, message)
    }
  }

  private mutating func heardAnswer(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    guard let head = AnswerHead(of: message, in: bytes) else { return heardRemotePiece(bytes, message) }
    guard let call = JSONNumber.nonNegativeInteger(head.id, in: bytes) else { return }
    heardAnswer(bytes, AnswerBody(of: head), toCall: call)
  }

  mutating func heardAnswer(_ bytes: Span<UInt8>, _ answer: AnswerBody, toCall call: UInt64) {
    guard let waiter = peers.waiter(ofCall: call) else { return }
    if let gathering = peers.gathering(of: waiter) { return heardPart(bytes, answer, waiter, for: gathering) }
    edge.pass(answer, in: bytes, to: waiter)
    end(waiter)
  }

  /// - Parameter waiter: gets the sum.
  private mutating func heardPart(
    _ bytes: Span<UInt8>, _ answer: AnswerBody, _ part: WaiterID, for waiter: WaiterID
  ) {
    endPart(part, answer.isError ? 0 : Self.cancelledCount(ByteRange(answer.range), in: bytes), for: waiter)
  }

  /// A loop has done its part; the last of them ends the whole.
  mutating func endPart(_ part: WaiterID, _ count: Int, for waiter: WaiterID) {
    let whole = peers.take(count, part, for: waiter.slot)
    end(part)
    guard let whole else { return }
    let text = whole.isNull ? Array("null".utf8) : Self.cancelled(whole.sum)
    let body = AnswerBody(range: text.indices, isFreeOfLineBreaks: true)
    edge.pass(body, in: JSONText.padded(text).span, to: waiter)
    end(waiter)
  }

  private static func cancelledCount(_ body: ByteRange, in bytes: Span<UInt8>) -> Int {
    guard bytes[Int(body.lower)] == UInt8(ascii: "{") else { return 0 }
    var members = ObjectReader(body)
    while let member = members.next(in: bytes) {
      if member.isNamed("cancelled", in: bytes) {
        return Int(clamping: JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0)
      }
    }
    return 0
  }

  /// The result of `lastword.cancel`.
  static func cancelled(_ count: Int) -> [UInt8] {
    var result = Array("{\"cancelled\":".utf8)
    result.append(decimal: UInt64(count))
    result.append(UInt8(ascii: "}"))
    return result
  }
}
