import HotData
import JSONRPC
import TaskStore

/// Calls to other loops, until they are answered.
extension Peers {
  // MARK: Whose

  /// The loop that has a key.
  /// - Parameter owner: what tells the key's namespace from others; the same at all loops.
  @inline(__always)
  mutating func place(of key: Span<UInt8>, _ owner: UInt64) -> KeyPlace {
    let hash = hashes.hash(owner, key)
    guard !loop.isInFleet else { return routes.place(ofPartition: routes.partition(of: hash), name: hash) }
    return KeyPlace(loop: Int(hash.multipliedFullWidth(by: UInt64(loop.count)).high))
  }

  /// The place of an own key of a session: that of the session, but keys of one session are told apart.
  func place(of key: Span<UInt8>, in session: KeyPlace) -> KeyPlace {
    let name = session.name == 0 ? 0 : hash.hash(session.name, key)
    return KeyPlace(loop: session.loop, partition: session.partition, name: name)
  }

  /// Tells the keys of a listener's clients from others' keys.
  @inline(__always)
  func owner(listener: Int, namespace: String?) -> UInt64 {
    guard let namespace else { return UInt64(listener) }
    return hash.hash(UInt64(listener), Array(namespace.utf8).span)
  }

  // MARK: Asking

  func isBehind(_ loop: Int) -> Bool { behind[loop] }
  mutating func note(behind: [Bool]) {
    self.behind = behind
    for loop in behind.indices { noteSlow(loop) }
  }

  /// What is on its way to a loop, if that is much, and what it has taken since the start.
  mutating func note(_ load: (byteCount: Int, takenByteCount: UInt64)?, of loop: Int) {
    if let (byteCount, takenByteCount) = load {
      crowds[loop, default: LoopCrowd(byteCount: byteCount, takenByteCount: takenByteCount)]
        .note(byteCount: byteCount, takenByteCount: takenByteCount)
    } else {
      crowds[loop] = nil
    }
    noteSlow(loop)
  }

  private mutating func noteSlow(_ loop: Int) { slow[loop] = behind[loop] || crowds[loop] != nil }

  /// Whether a loop does not keep up, or much is on its way there.
  @inline(__always)
  func isSlow(_ loop: Int) -> Bool { slow[loop] }

  /// Counts what a client is to ask a loop; returns whether there is room for that.
  mutating func takesRoom(_ byteCount: Int, of client: Int, at loop: Int, isOwn: Bool) -> Bool {
    guard let underWay = crowds[loop]?.byteCount else { return true }
    let room = GatewayCore.mostMailBytes - underWay - batches[loop].byteCount
    let serial = serial(of: client)
    return crowds[loop]?.take(byteCount, of: serial, within: isOwn ? 2 * room : room) ?? true
  }

  /// Whether it is this client, and not one that had its slot before, that a loop has a mirror of.
  func knows(_ client: Int, _ serial: UInt64, at loop: Int) -> Bool {
    knows(client, at: loop) && serials[client] | lives[loop] << Self.lifeShift == serial
  }

  @inline(__always)
  func knows(_ client: Int, at loop: Int) -> Bool {
    reach.indices.contains(client) && reach[client] & Self.bit(of: loop) != 0
  }

  /// The loops that have a mirror of a client.
  func loops(of client: Int) -> [Int] {
    guard reach.indices.contains(client), reach[client] != 0 else { return [] }
    return (0..<loop.placeCount).filter { reach[client] & Self.bit(of: $0) != 0 }
  }

  @inline(__always)
  static func bit(of loop: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: loop) }

  mutating func introduce(_ client: RemoteClient, to loop: Int) {
    reach.reach(client.slot)
    reach[client.slot] |= Self.bit(of: loop)
    var client = client
    client.serial = serial(of: client.slot) | lives[loop] << Self.lifeShift
    batches[loop].addOpened(client)
  }

  /// Tells a client from those that had its slot before.
  mutating func serial(of client: Int) -> UInt64 {
    serials.reach(client)
    if serials[client] == 0 {
      serialsSoFar += 1
      serials[client] = serialsSoFar
    }
    return serials[client]
  }

  func isThere(_ client: Int, _ serial: UInt64) -> Bool {
    serials.indices.contains(client) && serials[client] == serial & (1 << Self.lifeShift - 1)
  }

  /// Above a client's number stands which life of the loop it is that it is told to.
  private static let lifeShift: UInt64 = 48

  /// A waiter waits for another loop from now on; returns the number of the call.
  /// - Parameters:
  ///   - isOwn: it asks for one of our own methods.
  ///   - gathering: the waiter whose answer is put together of this one's and others'.
  mutating func begin(
    _ waiter: WaiterID, at place: KeyPlace, of client: Int, isOwn: Bool, gathering: WaiterID? = nil
  ) -> UInt64 {
    callsSoFar += 1
    // Short, and no two that may be open at once are the same.
    let number = (callsSoFar & Self.callMask) << Self.slotBits | UInt64(waiter.slot)
    calls.reach(waiter.slot)
    calls[waiter.slot] = RemoteCall(
      number: number, loop: Int32(truncatingIfNeeded: place.loop),
      gathering: Int32(truncatingIfNeeded: gathering?.slot ?? 0), client: Int32(truncatingIfNeeded: client),
      isOwn: isOwn, partition: Int16(truncatingIfNeeded: place.partition), name: place.name)
    openCount += 1
    openCounts.reach(client)
    openCounts[client] += 1
    if place.partition >= 0, place.loop >= 0 { routes.beganSent(place.partition) }
    return number
  }

  /// A loop of another process may never answer: its caller waits no longer than it said.
  mutating func limit(_ waiter: WaiterID, toMilliseconds milliseconds: UInt64, now: UInt64) {
    deadlines.set(waiter, afterMilliseconds: milliseconds, now: now)
    calls[waiter.slot].hasDeadline = true
  }

  /// It has more time each time that upstream says something: so much of it.
  mutating func note(_ times: RemoteTimes, of waiter: WaiterID) {
    self.times.reach(waiter.slot)
    self.times[waiter.slot] = times
  }

  /// Upstream reported progress of what a waiter waits for, or gave some of it.
  mutating func extend(_ waiter: WaiterID, byPiece: Bool, now: UInt64) {
    guard calls[waiter.slot].hasDeadline, times.indices.contains(waiter.slot) else { return }
    let given = byPiece ? times[waiter.slot].pieces : times[waiter.slot].progress
    let due = min(now + UInt64(given.timeoutMilliseconds), given.latestMilliseconds)
    let before = times[waiter.slot].untilMilliseconds
    guard now < before, before < due else { return }
    times[waiter.slot].untilMilliseconds = due
    deadlines.clear(waiter)
    deadlines.set(waiter, afterMilliseconds: due - now, now: now)
  }

  /// A waiter that has waited long enough, one at a time.
  mutating func takeOverdue(now: UInt64) -> WaiterID? {
    guard let waiter = deadlines.takeDue(now: now) else { return nil }
    calls[waiter.slot].hasDeadline = false
    return waiter
  }

  private static let slotBits: UInt64 = 22
  private static let callMask: UInt64 = 1 << 31 - 1
  /// Waiters with higher slots cannot be told from others.
  static let mostSlots = 1 << 22

  @inline(__always)
  mutating func ask(
    _ envelope: Envelope, in bytes: Span<UInt8>, call: UInt64?, of client: Int, at place: KeyPlace
  ) {
    batches[place.loop].addRequest(
      envelope, in: bytes, call: call, from: client, about: routes.claim(place.partition))
  }

  /// - Parameter answer: the number of the call that hears what came of it; nil: none does.
  mutating func cancel(_ call: UInt64, answer: UInt64?, isCounted: Bool, of client: Int, at loop: Int) {
    if let waiter = waiter(ofCall: call) { calls[waiter.slot].isTakenBack = true }
    let call = batches[loop].range(ofNumber: call)
    let answered = answer.map { batches[loop].range(ofNumber: $0) } ?? .none
    batches[loop].add(
      .cancel(
        client: Int32(truncatingIfNeeded: client), call: call, answered: answered, isCounted: isCounted))
  }

  /// The gateway itself takes back a call: nobody hears how many that were, and so a count says that it does.
  mutating func takeBack(_ waiter: WaiterID) {
    let call = call(of: waiter)
    cancel(call.number, answer: nil, isCounted: true, of: Int(call.client), at: Int(call.loop))
  }

  /// What was asked for a key is not sent again should it come back.
  mutating func takeBackSent(named name: UInt64) {
    for slot in calls.indices where calls[slot].name == name && !calls[slot].isOwn && !calls[slot].isParked {
      calls[slot].isTakenBack = true
    }
  }

  /// The same of one.
  mutating func takeBackSent(_ waiter: WaiterID) { calls[waiter.slot].isTakenBack = true }

  /// A client is gone, or has been answered all and sends no more.
  mutating func takeLeave(of client: Int, isOrderly: Bool) {
    for loop in loops(of: client) {
      let client = Int32(truncatingIfNeeded: client)
      add(isOrderly ? .ended(client: client) : .gone(client: client), for: loop)
    }
    if reach.indices.contains(client) { reach[client] = 0 }
    if serials.indices.contains(client) { serials[client] = 0 }
  }

  mutating func add(_ event: PeerBatch.Event, for loop: Int) {
    batches[loop].add(event)
  }

  // MARK: Hearing

  /// The waiter that waits for a call; nil: it does so no more.
  func waiter(ofCall number: UInt64) -> WaiterID? {
    let slot = Int(truncatingIfNeeded: number & UInt64(Self.mostSlots - 1))
    guard slot < calls.count, calls[slot].number == number else { return nil }
    return WaiterID(slot: slot)
  }

  /// Whether a client can take back what it asked.
  func canBeTakenBack(_ waiter: WaiterID) -> Bool { !call(of: waiter).isOwn }

  mutating func notePiece(to waiter: WaiterID) {
    if calls[waiter.slot].pieces < .max { calls[waiter.slot].pieces += 1 }
  }

  /// Whether a client waits for other loops.
  func awaitsAnswers(_ client: Int) -> Bool {
    openCounts.indices.contains(client) && openCounts[client] > 0
  }

  /// What looking at all calls takes.
  var callSlotCount: Int { calls.count }

  func call(of waiter: WaiterID) -> RemoteCall {
    waiter.slot < calls.count ? calls[waiter.slot] : RemoteCall()
  }

  /// Of a call that is open: the waiter whose answer is put together of this one's and others'; nil: it is its own.
  @inline(__always)
  func gathering(of waiter: WaiterID) -> WaiterID? {
    let slot = Int(calls[waiter.slot].gathering)
    return slot > 0 ? WaiterID(slot: slot) : nil
  }

  /// Nobody waits for it any more; returns which partition it was about, or -1.
  @inline(__always)
  mutating func end(_ waiter: WaiterID) -> Int {
    let call = calls[waiter.slot]
    openCount -= 1
    openCounts[Int(call.client)] -= 1
    if call.hasDeadline { deadlines.clear(waiter) }
    calls[waiter.slot] = RemoteCall()
    if call.partition >= 0 { ended(waiter, call) }
    return Int(call.partition)
  }

  /// Whether anybody waits for an answer that is put together.
  var hasGatherings: Bool { !gatherings.isEmpty }

  /// The parts of a waiter's answer that were waited for, and are no more.
  mutating func takeParts(of waiter: WaiterID) -> [WaiterID] {
    gatherings.removeValue(forKey: waiter.slot)?.parts ?? []
  }

  @inline(never)
  private mutating func ended(_ waiter: WaiterID, _ call: RemoteCall) {
    let partition = Int(call.partition)
    guard call.isParked else { return routes.endedSent(partition) }
    let byteCount = parkedByteCounts[waiter.slot]
    if routes.endedParked(partition, of: Int(call.client), byteCount: byteCount) {
      leaveOutUnwanted(partition)
    }
  }

  // MARK: Loops that come and go

  /// A loop knows none of the clients any more that it was told of.
  mutating func forgetMirrors(at loop: Int) {
    lives[loop] &+= 1
    batches[loop] = PeerBatch()
    for client in reach.indices { reach[client] &= ~Self.bit(of: loop) }
  }

  /// The waiters for a loop.
  func waiters(at loop: Int) -> [WaiterID] {
    guard openCount > 0 else { return [] }
    return calls.indices.filter { calls[$0].number > 0 && Int(calls[$0].loop) == loop }.map {
      WaiterID(slot: $0)
    }
  }

  /// The waiters here for other loops that cannot be asked yet, or for those that were. A waiter for several answers
  /// waits through its parts.
  func openWaiters(areParked: Bool) -> [WaiterID] {
    guard openCount > 0 else { return [] }
    return calls.indices.filter {
      let call = calls[$0]
      return call.number > 0 && call.isParked == areParked && Int(call.loop) != loop.number
    }.map { WaiterID(slot: $0) }
  }

  /// Whether it is this loop that has been asked for a waiter, and about that.
  func isAsked(_ waiter: WaiterID, about partition: Int, at loop: Int) -> Bool {
    Int(calls[waiter.slot].loop) == loop && Int(calls[waiter.slot].partition) == partition
  }

  func isOpen(_ waiter: WaiterID) -> Bool { calls[waiter.slot].number > 0 }

  /// A waiter's request comes back, or has not been sent yet.
  mutating func park(_ waiter: WaiterID) {
    routes.endedSent(Int(calls[waiter.slot].partition))
    calls[waiter.slot].loop = -1
  }

  mutating func unpark(_ waiter: WaiterID, to place: KeyPlace) {
    routes.beganSent(place.partition)
    routes.unparked(of: Int(calls[waiter.slot].client), byteCount: parkedByteCounts[waiter.slot])
    calls[waiter.slot].loop = Int32(truncatingIfNeeded: place.loop)
  }

  // MARK: Gathering

  /// A waiter gets what several loops answer.
  /// - Parameter count: this one's part.
  mutating func gather(for waiter: WaiterID, _ kind: Gathering.Kind, count: Int) {
    gatherings[waiter.slot] = Gathering(kind: kind, count: count)
  }

  mutating func addPart(_ part: WaiterID, for waiter: WaiterID) {
    gatherings[waiter.slot]?.parts.append(part)
  }

  func gatheringKind(of waiter: WaiterID) -> Gathering.Kind? { gatherings[waiter.slot]?.kind }

  /// One of the parts has been refused: so is the whole, once the others have come.
  mutating func refuse(_ waiter: WaiterID, with error: [UInt8]) { gatherings[waiter.slot]?.refusal = error }

  /// The same of a part of which nobody will hear.
  mutating func lose(partOf waiter: WaiterID, _ reason: Refusal.Reason, isSent: Bool) {
    let isSent = isSent || gatherings[waiter.slot]?.loss?.isSent == true
    gatherings[waiter.slot]?.loss = (reason, isSent)
  }

  mutating func add(count: Int, for waiter: WaiterID) { gatherings[waiter.slot]?.count += count }
  mutating func add(tasks: [(ageMilliseconds: UInt64, text: [UInt8])], for waiter: WaiterID) {
    gatherings[waiter.slot]?.tasks += tasks
  }

  /// One of the parts has come; returns the whole if it was the last.
  mutating func take(_ count: Int, _ part: WaiterID, for waiter: Int) -> Gathering? {
    guard var gathering = gatherings[waiter] else { return nil }
    gathering.count += count
    gathering.parts.removeAll { $0.slot == part.slot }
    gatherings[waiter] = gathering
    return gathering.parts.isEmpty ? gathering : nil
  }

  // MARK: Output

  /// What a loop is to be told; nil: nothing.
  mutating func takeBatch(for loop: Int) -> PeerBatch? {
    batches[loop].isEmpty ? nil : sent.take(&batches[loop])
  }
}
