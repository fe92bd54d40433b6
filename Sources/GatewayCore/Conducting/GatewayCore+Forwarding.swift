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
      guard let loops = loopsOfTarget(envelope, in: bytes, keyOnly: true, of: sender.client) else {
        return false
      }
      return passesOn(bytes, envelope, toOneOf: loops, from: sender)
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
    let place = edge.upstream(of: route)
    guard !upstreams.terms(of: place).isPerConnection else { return false }
    if envelope.isNotification, edge.idTakenBack(envelope, in: bytes, at: place) != nil { return false }
    var key: (label: Label, scope: TaskIntent.Scope?)
    if route < 0, let label = edge.usualKey(of: envelope) {
      key = (label, nil)
    } else {
      var intent = edge.usualIntent
      do throws(RPCError) {
        try edge.read(envelope, route, isPerConnection: false, in: bytes, into: &intent)
      } catch {
        return false
      }
      key = (intent.key, intent.scope)
    }
    guard let loop = loop(of: key.label, key.scope, in: bytes, client), loop != peers.loop.number else {
      return false
    }
    forward(bytes, envelope, to: loop, isOwn: false, from: sender)
    return true
  }

  // MARK: Whose

  /// The loop that has a request's key; nil: it has none, or its connection has it for itself.
  private func loop(
    of key: Label, _ scope: TaskIntent.Scope?, in bytes: Span<UInt8>, _ client: Int
  ) -> Int? {
    guard edge.namespace(scope, of: client).scope == .shared else {
      return key.isNone ? nil : loop(ofSessionOf: client)
    }
    let owner = owner(of: client)
    return edge.withKey(key, in: bytes) { peers.loop(of: $0, owner) }
  }

  private func owner(of client: Int) -> UInt64 {
    peers.owner(listener: edge.listener(of: client), namespace: edge.namespaceName(of: client))
  }

  /// The loop that has the own keys of the POSTs of a session, wherever they come; nil: it is no such session.
  private func loop(ofSessionOf client: Int) -> Int? {
    guard edge.isExchange(client), let text = edge.sessionText(of: client) else { return nil }
    return peers.loop(of: text.span, ~owner(of: client))
  }

  /// The loops that have the lanes which a request of ours is about; nil: it is refused where it came, or is about no key.
  private mutating func loopsOfTarget(
    _ envelope: Envelope, in bytes: Span<UInt8>, keyOnly: Bool, of client: Int
  ) -> [Int]? {
    guard case .key(let label, let scope)? = edge.knownTarget(bytes, envelope, keyOnly: keyOnly) else {
      return nil
    }
    var loops: [Int] = []
    let usual = edge.namespace(scope, of: client).scope
    if usual == .shared {
      let owner = owner(of: client)
      let shared = edge.targetKeys.withBytes(of: label, in: bytes) { peers.loop(of: $0, owner) }
      if let shared { loops.append(shared) }
    }
    guard scope == nil || usual == .connection else { return loops }
    let own = loop(ofSessionOf: client) ?? peers.loop.number
    // There, mostly, is nothing of it.
    let mayHaveOwn =
      own != peers.loop.number
      || lanes.lane(
        of: label, readBy: edge.targetKeys, in: bytes, namespace: edge.namespace(.connection, of: client))
        != nil
    if mayHaveOwn || loops.isEmpty, !loops.contains(own) { loops.append(own) }
    return loops
  }

  // MARK: Asking

  /// Passes a request on to another loop, where it counts for its client's mirror.
  private mutating func forward(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to loop: Int, isOwn: Bool, from sender: Sender
  ) {
    guard !peers.isBehind(loop) else {
      edge.countRequest(envelope)
      return edge.reject(
        .overloaded.with(message: "the loop that has the key does not keep up"), envelope, in: bytes,
        from: sender)
    }
    guard !envelope.isNotification else {
      introduce(sender.client, to: loop)
      return peers.ask(envelope, in: bytes, call: nil, of: sender.client, at: loop)
    }
    guard let waiter = addRemoteCaller(envelope, in: bytes, from: sender) else { return }
    introduce(sender.client, to: loop)
    let call = peers.begin(waiter, at: loop, of: sender.client, isOwn: isOwn)
    peers.ask(envelope, in: bytes, call: call, of: sender.client, at: loop)
  }

  private mutating func introduce(_ client: Int, to loop: Int) {
    if !peers.knows(client, at: loop) { peers.introduce(edge.remote(client), to: loop) }
  }

  /// Somebody waits for other loops from now on; nil: there is no room for that, and it has been refused.
  private mutating func addRemoteCaller(
    _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) -> WaiterID? {
    guard let waiter = addRemoteWaiter() else {
      edge.countRequest(envelope)
      edge.reject(.overloaded.with(message: "too many callers"), envelope, in: bytes, from: sender)
      return nil
    }
    edge.addCaller(waiter, envelope, in: bytes, group: -1, from: sender)
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

  private mutating func end(_ waiter: WaiterID) {
    for part in peers.end(waiter) { end(part) }
    edge.counters.admitted -= 1
    lanes.removeRemoteWaiter(waiter)
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
      guard let loops = loopsOfTarget(envelope, in: bytes, keyOnly: false, of: sender.client) else {
        return false
      }
      return passesOn(bytes, envelope, toAllOf: loops, isNull: false, from: sender)
    case .group(_, .principal) where !edge.asksWho(sender.client): return false
    case .group(_, let scope):
      let isEverywhere = scope == .principal || edge.sessionText(of: sender.client) != nil
      let loops = isEverywhere ? peers.others : peers.loops(of: sender.client)
      return passesOn(bytes, envelope, toAllOf: [peers.loop.number] + loops, isNull: false, from: sender)
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
    return passesOn(
      bytes, envelope, toAllOf: [peers.loop.number] + peers.others, isNull: !isCounted, from: sender)
  }

  /// Takes back what another loop was asked: what came of it that loop says, to its caller and to who takes it back.
  mutating func cancelRemote(
    _ waiter: WaiterID, _ bytes: Span<UInt8>, _ envelope: Envelope, isCounted: Bool, from sender: Sender
  ) {
    let call = peers.call(of: waiter)
    var answer: UInt64?
    if !envelope.isNotification {
      guard let caller = addRemoteCaller(envelope, in: bytes, from: sender) else { return }
      answer = peers.begin(caller, at: Int(call.loop), of: sender.client, isOwn: true)
    }
    peers.cancel(
      call.number, answer: answer, isCounted: isCounted, of: Int(call.client), at: Int(call.loop))
  }

  // MARK: Several loops

  /// Passes on what is about one of them; what is about more is shown as the first has it.
  private mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toOneOf loops: [Int], from sender: Sender
  ) -> Bool {
    guard let loop = loops.first, loop != peers.loop.number else { return false }
    forward(bytes, envelope, to: loop, isOwn: true, from: sender)
    return true
  }

  /// Has all these loops do what a request asks; it is answered with the sum of what they did.
  private mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toAllOf loops: [Int], isNull: Bool, from sender: Sender
  ) -> Bool {
    let others = loops.filter { $0 != peers.loop.number }
    guard !others.isEmpty else { return false }
    let isHere = others.count < loops.count
    if others.count == 1 && !isHere && !isNull {
      forward(bytes, envelope, to: others[0], isOwn: true, from: sender)
      return true
    }
    if let target = edge.knownTarget(bytes, envelope, keyOnly: false) {
      guard edge.mayCancel(target, bytes, envelope, from: sender) else { return true }
    }
    guard !envelope.isNotification else {
      for loop in others { forward(bytes, envelope, to: loop, isOwn: true, from: sender) }
      return !isHere
    }
    let count = isHere ? cancelHere(bytes, envelope, of: sender.client) : 0
    guard let waiter = addRemoteCaller(envelope, in: bytes, from: sender) else { return true }
    _ = peers.begin(waiter, at: peers.loop.number, of: sender.client, isOwn: true)
    peers.gather(for: waiter, from: count, isNull: isNull)
    for loop in others {
      guard let part = addRemoteWaiter() else { continue }
      introduce(sender.client, to: loop)
      let call = peers.begin(part, at: loop, of: sender.client, isOwn: true, gathering: waiter)
      peers.addPart(part, for: waiter)
      peers.ask(envelope, in: bytes, call: call, of: sender.client, at: loop)
    }
    return true
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
    guard let head = AnswerHead(of: message, in: bytes),
      let number = JSONNumber.nonNegativeInteger(head.id, in: bytes),
      let waiter = peers.waiter(ofCall: number)
    else { return }
    let gathering = Int(peers.call(of: waiter).gathering)
    if gathering > 0 { return heardPart(bytes, head, waiter, for: WaiterID(slot: gathering)) }
    edge.pass(AnswerBody(of: head), in: bytes, to: waiter)
    end(waiter)
  }

  /// - Parameter waiter: gets the sum.
  private mutating func heardPart(
    _ bytes: Span<UInt8>, _ head: AnswerHead, _ part: WaiterID, for waiter: WaiterID
  ) {
    let count = head.isError ? 0 : Self.cancelledCount(head.body, in: bytes)
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
