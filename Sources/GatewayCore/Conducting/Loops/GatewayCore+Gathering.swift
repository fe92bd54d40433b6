import HotData
import JSONRPC
import TaskStore

/// Requests about what several loops have: each does its part, and the answer is put together of what they say.
extension GatewayCore {
  /// `lastword.inspect`: a lane may be elsewhere, and the connection's own of the same key at another loop, or here.
  mutating func passesOnInspection(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to places: [KeyPlace], from sender: Sender
  ) -> Bool {
    let others = places.filter { $0.loop != peers.loop.number }
    guard !others.isEmpty else { return false }
    guard places.count > 1, !envelope.isNotification else {
      forwardOwn(bytes, envelope, to: others[0], from: sender)
      return true
    }
    guard mayAnswerAtLength(envelope, in: bytes, of: sender) else { return true }
    let isHere = others.count < places.count
    guard let waiter = beginGathering(.lanes, of: others, bytes, envelope, from: sender, { _ in 0 }) else {
      return true
    }
    guard isHere else { return true }
    let own = descriptionHere(bytes, envelope, of: sender.client)
    share.spend(outputBytes: own.count)
    addLanes(own, for: waiter)
    return true
  }

  /// A request of ours is about what another loop has.
  private mutating func forwardOwn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, to place: KeyPlace, from sender: Sender
  ) {
    let timeout = edge.usualIntent.admission.timeoutMilliseconds
    forward(bytes, envelope, to: place, isOwn: true, timeout: timeout, from: sender)
  }

  mutating func passesOn(
    _ bytes: Span<UInt8>, _ envelope: Envelope, toHereAnd loops: [Int], isNull: Bool, from sender: Sender
  ) -> Bool {
    let places = ([peers.loop.number] + loops).map { KeyPlace(loop: $0) }
    return passesOn(bytes, envelope, toAllOf: places, isNull: isNull, from: sender)
  }

  /// Has all these loops do what a request asks; it is answered with the sum of what they did.
  mutating func passesOn(
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
      guard edge.mayCancel(target, bytes, envelope, from: sender),
        mayTakeBack(bytes, envelope, from: sender)
      else { return true }
    }
    guard !envelope.isNotification else {
      for place in others { forwardOwn(bytes, envelope, to: place, from: sender) }
      return !isHere
    }
    _ = beginGathering(isNull ? .null : .sum, of: others, bytes, envelope, from: sender) { core in
      isHere ? core.cancelHere(bytes, envelope, of: sender.client) : 0
    }
    return true
  }

  /// Has several loops do what a request asks; it is answered once all of them have.
  /// - Parameter countHere: does this loop's part, if there is room to wait for the others.
  /// - Returns: the waiter for the whole; nil: there was no room, and it has been refused.
  private mutating func beginGathering(
    _ kind: Gathering.Kind, of others: [KeyPlace], _ bytes: Span<UInt8>, _ envelope: Envelope,
    from sender: Sender, _ countHere: (inout GatewayCore) -> Int
  ) -> WaiterID? {
    guard !edge.isAtABound(sender.client, isOwn: true) else {
      refuse(envelope, because: .tooManyUnanswered, in: bytes, from: sender)
      return nil
    }
    guard !hasAllCallers(sender.client, times: 2) else {
      refuseCaller(envelope, in: bytes, from: sender)
      return nil
    }
    guard !parksMuch(of: sender.client) || others.allSatisfy({ $0.loop >= 0 }) else {
      refuse(envelope, because: .tooMuchForFleet, in: bytes, from: sender)
      return nil
    }
    // One waits for the whole, and one for each part: what has begun would never be answered without them.
    guard lanes.hasRoom(forWaiters: others.count + 1) else {
      refuse(envelope, because: Overload(.waiters), in: bytes, from: sender)
      return nil
    }
    let count = countHere(&self)
    guard let waiter = addRemoteCaller(envelope, in: bytes, from: sender) else { return nil }
    _ = peers.begin(waiter, at: KeyPlace(loop: peers.loop.number), of: sender.client, isOwn: true)
    peers.gather(for: waiter, kind, count: count)
    for place in others { askPart(bytes, envelope, of: place, for: waiter, from: sender) }
    return waiter
  }

  /// Has another loop do its part of what a request asks.
  private mutating func askPart(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of place: KeyPlace, for waiter: WaiterID,
    from sender: Sender
  ) {
    guard let part = addRemoteWaiter() else { return }
    edge.count(parts: 1, of: sender.client)
    let call = peers.begin(part, at: place, of: sender.client, isOwn: true, gathering: waiter)
    peers.addPart(part, for: waiter)
    limit(part, to: edge.usualIntent.admission.timeoutMilliseconds)
    guard place.loop >= 0 else {
      return peers.park(envelope, in: bytes, call, of: sender.client, at: place)
    }
    introduce(sender.client, to: place.loop)
    takeBackSent(before: envelope, in: bytes, named: place.name, by: sender.client)
    peers.ask(envelope, in: bytes, call: call, of: sender.client, at: place)
  }

  // MARK: What they say

  /// - Parameter waiter: gets the whole.
  mutating func heardPart(
    _ bytes: Span<UInt8>, _ answer: AnswerBody, _ part: WaiterID, for waiter: WaiterID
  ) {
    guard !answer.isError else {
      var error: [UInt8] = []
      error.append(bytes, answer.range)
      peers.refuse(waiter, with: error)
      return endPart(part, 0, for: waiter)
    }
    guard isJSON(answer, in: bytes) else {
      return losePart(part, .badAnswer(.unreadable), isSent: true, for: waiter)
    }
    if case .lanes? = peers.gatheringKind(of: waiter) {
      addLanes(ByteRange(answer.range), in: bytes, for: waiter)
      return endPart(part, 0, for: waiter)
    }
    let count = Self.number("cancelled", of: ByteRange(answer.range), in: bytes)
    endPart(part, count, for: waiter)
  }

  /// A loop has done its part; the last of them ends the whole.
  mutating func endPart(_ part: WaiterID, _ count: Int, for waiter: WaiterID) {
    let whole = peers.take(count, part, for: waiter.slot)
    forget(part: part)
    guard let whole else { return }
    let isError = !whole.refusal.isEmpty
    if let loss = whole.loss, !isError {
      return refuse(waiter, loss.reason, isSent: loss.isSent || whole.hasTakenBack)
    }
    let text = isError ? whole.refusal : Self.text(of: whole)
    let body = AnswerBody(range: text.indices, isError: isError, isFreeOfLineBreaks: true)
    edge.pass(body, in: JSONText.padded(text).span, to: waiter)
    end(waiter)
  }

  /// A part is waited for no more.
  mutating func forget(part: WaiterID) {
    edge.count(parts: -1, of: Int(peers.call(of: part).client))
    end(part)
  }

  /// Nobody will hear what a loop has done: so the whole is refused, once the others have come.
  mutating func losePart(_ part: WaiterID, _ reason: Refusal.Reason, isSent: Bool, for waiter: WaiterID) {
    peers.lose(partOf: waiter, reason, isSent: isSent)
    endPart(part, 0, for: waiter)
  }

  private static func text(of whole: Gathering) -> [UInt8] {
    switch whole.kind {
    case .null: return Array("null".utf8)
    case .sum: return cancelled(whole.count)
    case .lanes:
      // Generations of two loops cannot be compared. Of one loop the tasks are in their order already, which stays.
      let tasks = whole.tasks.sorted { $0.ageMilliseconds < $1.ageMilliseconds }.map(\.text)
      return Lanes.description(
        count: whole.count, tasks: tasks.prefix(GatewayConfiguration.inspectedTasks))
    }
  }

  /// What a loop's lanes have goes into an answer.
  private mutating func addLanes(_ result: [UInt8], for waiter: WaiterID) {
    let bytes = JSONText.padded(result)
    addLanes(ByteRange(result.indices), in: bytes.span, for: waiter)
  }

  private mutating func addLanes(_ result: ByteRange, in bytes: Span<UInt8>, for waiter: WaiterID) {
    peers.add(count: Self.number("count", of: result, in: bytes), for: waiter)
    guard let list = Self.member("tasks", of: result, in: bytes), list.count > 1 else { return }
    var tasks: [(ageMilliseconds: UInt64, text: [UInt8])] = []
    var reader = ArrayReader(list.range)
    while let task = reader.next(in: bytes) {
      var text: [UInt8] = []
      text.append(bytes, task.value.range)
      let age = Self.member("ageMs", of: task.value, in: bytes)
      tasks.append((age.flatMap { JSONNumber.nonNegativeInteger($0, in: bytes) } ?? 0, text))
    }
    peers.add(tasks: tasks, for: waiter)
  }

  private static func number(_ name: StaticString, of result: ByteRange, in bytes: Span<UInt8>) -> Int {
    let value = member(name, of: result, in: bytes)
    // Sums of what others say must not overflow.
    return value.flatMap { JSONNumber.nonNegativeInteger($0, in: bytes) }.map { Int(UInt32(clamping: $0)) }
      ?? 0
  }

  private static func member(_ name: StaticString, of result: ByteRange, in bytes: Span<UInt8>) -> ByteRange?
  {
    guard bytes[Int(result.lower)] == UInt8(ascii: "{") else { return nil }
    var members = ObjectReader(result)
    while let member = members.next(in: bytes) {
      if member.isNamed(name, in: bytes) { return member.value }
    }
    return nil
  }

  /// The result of `lastword.cancel`.
  static func cancelled(_ count: Int) -> [UInt8] {
    var result = Array("{\"cancelled\":".utf8)
    result.append(decimal: UInt64(count))
    result.append(UInt8(ascii: "}"))
    return result
  }
}
