import HotData
import JSONRPC
import TaskStore

/// What other loops are asked, and what of that is still open.
extension Peers {
  // MARK: Whose

  /// The loop that has a key.
  /// - Parameter owner: what tells the key's namespace from others; the same at all loops.
  func loop(of key: Span<UInt8>, _ owner: UInt64) -> Int {
    Int(hash.hash(owner, key).multipliedFullWidth(by: UInt64(loop.count)).high)
  }

  /// What tells the keys of a listener's clients from those of others.
  func owner(listener: Int, namespace: String?) -> UInt64 {
    guard let namespace else { return UInt64(listener) }
    return hash.hash(UInt64(listener), Array(namespace.utf8).span)
  }

  // MARK: Asking

  func isBehind(_ loop: Int) -> Bool { behind[loop] }
  mutating func note(behind: [Bool]) { self.behind = behind }

  /// Whether it is this client, and not one that had its slot before, that a loop has a mirror of.
  func knows(_ client: Int, _ serial: UInt64, at loop: Int) -> Bool {
    knows(client, at: loop) && serials[client] == serial
  }

  func knows(_ client: Int, at loop: Int) -> Bool {
    reach.indices.contains(client) && reach[client] & Self.bit(of: loop) != 0
  }

  /// The loops that have a mirror of a client.
  func loops(of client: Int) -> [Int] {
    guard reach.indices.contains(client), reach[client] != 0 else { return [] }
    return (0..<loop.count).filter { reach[client] & Self.bit(of: $0) != 0 }
  }

  static func bit(of loop: Int) -> UInt16 { 1 << UInt16(loop) }

  mutating func introduce(_ client: RemoteClient, to loop: Int) {
    reach.reach(client.slot)
    serials.reach(client.slot)
    if reach[client.slot] == 0 {
      serialsSoFar += 1
      serials[client.slot] = serialsSoFar
    }
    reach[client.slot] |= Self.bit(of: loop)
    var client = client
    client.serial = serials[client.slot]
    add(.opened(client), for: loop)
  }

  /// A waiter waits for another loop from now on; returns the number of the call.
  /// - Parameters:
  ///   - isOwn: it asks for one of our own methods.
  ///   - gathering: the waiter whose answer is put together of this one's and others'.
  mutating func begin(
    _ waiter: WaiterID, at loop: Int, of client: Int, isOwn: Bool, gathering: WaiterID? = nil
  ) -> UInt64 {
    callsSoFar += 1
    // Short, and no two that may be open at once are the same.
    let number = (callsSoFar & Self.callMask) << Self.slotBits | UInt64(waiter.slot)
    calls.reach(waiter.slot)
    calls[waiter.slot] = RemoteCall(
      number: number, loop: Int32(truncatingIfNeeded: loop),
      gathering: Int32(truncatingIfNeeded: gathering?.slot ?? 0), client: Int32(truncatingIfNeeded: client),
      isOwn: isOwn)
    openCount += 1
    return number
  }

  private static let slotBits: UInt64 = 22
  private static let callMask: UInt64 = 1 << 31 - 1
  /// Waiters with higher slots cannot be told from others.
  static let mostSlots = 1 << 22

  mutating func ask(_ envelope: Envelope, in bytes: Span<UInt8>, call: UInt64?, of client: Int, at loop: Int)
  {
    batches[loop].addRequest(envelope, in: bytes, call: call, from: client)
  }

  /// - Parameter answer: the number of the call that hears what came of it; nil: none does.
  mutating func cancel(_ call: UInt64, answer: UInt64?, isCounted: Bool, of client: Int, at loop: Int) {
    let call = batches[loop].range(ofNumber: call)
    let answered = answer.map { batches[loop].range(ofNumber: $0) } ?? .none
    batches[loop].add(
      .cancel(
        client: Int32(truncatingIfNeeded: client), call: call, answered: answered, isCounted: isCounted))
  }

  /// A client is gone, or has been answered all and sends no more.
  mutating func takeLeave(of client: Int, isOrderly: Bool) {
    for loop in loops(of: client) {
      let client = Int32(truncatingIfNeeded: client)
      add(isOrderly ? .ended(client: client) : .gone(client: client), for: loop)
    }
    if reach.indices.contains(client) { reach[client] = 0 }
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
  func isTakenBack(_ waiter: WaiterID) -> Bool { !call(of: waiter).isOwn }

  func call(of waiter: WaiterID) -> RemoteCall {
    waiter.slot < calls.count ? calls[waiter.slot] : RemoteCall()
  }

  /// Nobody waits for it any more. Returns the parts of its answer that were waited for.
  mutating func end(_ waiter: WaiterID) -> [WaiterID] {
    openCount -= 1
    calls[waiter.slot] = RemoteCall()
    return gatherings.isEmpty ? [] : gatherings.removeValue(forKey: waiter.slot)?.parts ?? []
  }

  // MARK: Gathering

  /// A waiter gets the sum of several answers.
  mutating func gather(for waiter: WaiterID, from sum: Int, isNull: Bool) {
    gatherings[waiter.slot] = Gathering(sum: sum, isNull: isNull)
  }

  mutating func addPart(_ part: WaiterID, for waiter: WaiterID) {
    gatherings[waiter.slot]?.parts.append(part)
  }

  /// One of the parts has come; returns the sum if it was the last.
  mutating func take(_ count: Int, _ part: WaiterID, for waiter: Int) -> (sum: Int, isNull: Bool)? {
    guard var gathering = gatherings[waiter] else { return nil }
    gathering.sum += count
    gathering.parts.removeAll { $0.slot == part.slot }
    gatherings[waiter] = gathering
    return gathering.parts.isEmpty ? (gathering.sum, gathering.isNull) : nil
  }

  // MARK: Output

  /// What a loop is to be told; nil: nothing.
  mutating func takeBatch(for loop: Int) -> PeerBatch? {
    guard !batches[loop].isEmpty else { return nil }
    var batch = PeerBatch(like: batches[loop])
    swap(&batch, &batches[loop])
    return batch
  }
}
