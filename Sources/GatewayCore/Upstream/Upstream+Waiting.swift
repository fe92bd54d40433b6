import HotData
import JSONRPC
import TaskStore

/// Tasks that wait for room.
extension Upstream {
  func hasTurn(_ upstream: Int) -> Bool { pools[upstream].waiting.hasTurn }
  func waitingCount(_ upstream: Int) -> Int { pools[upstream].waitingCount }
  func waitingLimit(_ upstream: Int) -> Int { pools[upstream].waitingLimit }

  /// A task that starts waits for its turn.
  /// - Parameters:
  ///   - generation: of an account's tasks the lowest goes first.
  ///   - byteCount: of what it asks.
  mutating func wait(_ slot: Int, generation: UInt64, byteCount: Int) {
    let upstream = calls[slot].upstream
    let level = Int(calls[slot].priority)
    calls[slot].progress = .waiting
    calls[slot].started = Moment(nowMilliseconds)
    waitingLines.add(
      slot, generation: generation, level: level, to: &pools[upstream].waiting,
      of: &allotments[calls[slot].allotment])
    arrivalLinks.append(slot, to: &pools[upstream].arrivals)
    pools[upstream].waitingCount += 1
    pools[upstream].waitingBytes += byteCount
  }

  mutating func leaveQueue(_ slot: Int, byteCount: Int) {
    let upstream = calls[slot].upstream
    waitingLines.remove(slot, from: &pools[upstream].waiting, of: &allotments[calls[slot].allotment])
    noteLeft(slot, upstream, byteCount: byteCount)
  }

  private mutating func noteLeft(_ slot: Int, _ upstream: Int, byteCount: Int) {
    arrivalLinks.remove(slot, from: &pools[upstream].arrivals)
    pools[upstream].waitingCount -= 1
    pools[upstream].waitingBytes -= byteCount
    calls[slot].progress = .held
  }

  /// The task that goes next; there must be one.
  func firstWaiting(_ upstream: Int) -> Int { waitingLines.first(of: pools[upstream].waiting) }

  /// Takes that task out.
  mutating func takeFirstWaiting(_ upstream: Int, byteCount: Int) {
    let slot = firstWaiting(upstream)
    waitingLines.takeFirst(of: &pools[upstream].waiting, of: &allotments[calls[slot].allotment])
    noteLeft(slot, upstream, byteCount: byteCount)
  }

  // MARK: Too long

  /// When the first of those that wait has waited too long for a connection: for as long as there is none.
  func expiryOfWaiting(_ upstream: Int) -> UInt64? {
    guard pools[upstream].waitingCount > 0 else { return nil }
    var lost: UInt64 = 0
    for slot in pools[upstream].sessions {
      if sessions[slot].isUsable(at: nowMilliseconds) { return nil }
      lost = max(lost, sessions[slot].lostMilliseconds)
    }
    let started = calls[pools[upstream].arrivals.first].started.milliseconds(by: nowMilliseconds)
    return max(started, lost) + pools[upstream].connectMilliseconds
  }

  /// A task that has waited too long for a connection.
  func overdueWaiting(_ upstream: Int) -> Int? {
    guard let expiry = expiryOfWaiting(upstream), expiry <= nowMilliseconds else { return nil }
    return pools[upstream].arrivals.first
  }

  // MARK: Shares

  /// A new account, which has nothing in flight.
  mutating func open(_ account: Int) { allotments.open(account) }

  /// The bounds of all upstreams are known, or new: what waits may go now, or has to wait.
  mutating func noteAllotments() {
    allotments.keep(configuration.upstreams.indices.map { pools[$0].inFlightPerAccount })
    for place in configuration.upstreams.indices where !pools[place].terms.isPerConnection {
      for account in 0..<allotments.accounts {
        let number = allotments.number(of: account, at: place)
        if allotments[number].firstShare != 0 { follow(number, at: place) }
      }
    }
  }

  /// Upstream works on a task.
  @inline(__always)
  mutating func takeRoom(for slot: Int) {
    let number = calls[slot].allotment
    if allotments[number].take() { follow(number, at: calls[slot].upstream) }
  }

  /// Upstream works on it no more.
  @inline(__always)
  mutating func giveRoomBack(of slot: Int) {
    let number = calls[slot].allotment
    if allotments[number].giveBack() { follow(number, at: calls[slot].upstream) }
  }

  @inline(never)
  private mutating func follow(_ number: Int, at upstream: Int) {
    waitingLines.follow(allotments[number], in: &pools[upstream].waiting)
  }

  // MARK: Held back

  /// Requests of an upstream of a client's own that have not started, oldest first.
  func heldBack(at upstream: Int) -> [Int] {
    var held: [Int] = []
    var slot = pools[upstream].heldBack.first
    while slot != 0 {
      held.append(slot)
      slot = arrivalLinks.next(of: slot)
    }
    return held
  }

  /// That of the newest notification that came for a call's upstream; 0: it is for all.
  func lastNotification(ofCall slot: Int) -> UInt64 { pools[calls[slot].upstream].lastNotification }

  /// Notes a task for an upstream of its client's own. Messages there keep their order: no request is sent behind a
  /// notification that came after it.
  /// - Parameter outdates: it is a notification that no request may be sent behind.
  mutating func noteOrder(
    of slot: Int, generation: UInt64, isQueued: Bool, at upstream: Int, outdates: Bool
  ) {
    if outdates { pools[upstream].lastNotification = generation }
    guard !calls[slot].isNotification, isQueued else { return }
    calls[slot].isHeldBack = true
    arrivalLinks.append(slot, to: &pools[upstream].heldBack)
  }

  /// It starts, or ends.
  mutating func letGo(_ slot: Int) {
    calls[slot].isHeldBack = false
    arrivalLinks.remove(slot, from: &pools[calls[slot].upstream].heldBack)
  }
}
