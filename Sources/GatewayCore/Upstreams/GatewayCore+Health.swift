import HotData
import TaskStore

extension GatewayCore {
  // MARK: Choosing

  /// Of an upstream's connections that have room the one with the least in flight.
  @inline(__always)
  mutating func freeSession(of upstream: Int) -> Int? {
    guard upstreams[upstream].sessions.count == 1 else { return freestSession(of: upstream) }
    let only = upstreams[upstream].sessions[0]
    return hasRoom(only, of: upstream) ? only : nil
  }

  private mutating func freestSession(of upstream: Int) -> Int? {
    let count = upstreams[upstream].sessions.count
    var best: (slot: Int, index: Int)?
    for offset in 0..<count {
      let index = (upstreams[upstream].nextSession + offset) % count
      let slot = upstreams[upstream].sessions[index]
      guard hasRoom(slot, of: upstream) else { continue }
      guard let known = best, sessions[known.slot].inFlight <= sessions[slot].inFlight else {
        best = (slot, index)
        continue
      }
    }
    guard let best else { return nil }
    upstreams[upstream].nextSession = (best.index + 1) % count
    return best.slot
  }

  @inline(__always)
  private func hasRoom(_ slot: Int, of upstream: Int) -> Bool {
    let limit = sessions[slot].isOnProbation ? 1 : upstreams[upstream].inFlightLimit
    return sessions[slot].inFlight < limit && sessions[slot].isUsable(at: nowMilliseconds)
      && sessions[slot].output.byteCount < upstreams[upstream].outputSoftBytes
  }

  // MARK: Sickness

  /// It answered one of our requests.
  @inline(__always)
  mutating func noteAnswer(_ slot: Int) {
    sessions[slot].becomeWell()
  }

  /// It did not, or not in a way that makes sense.
  /// - Parameter isReached: it may have got the request.
  mutating func noteFailure(_ slot: Int, isReached: Bool) {
    let isAlone = upstreams[sessions[slot].upstream].sessions.count == 1
    // There is nobody else to ask: one that can be reached gets its chance.
    if isAlone && isReached { return }
    sessions[slot].failures += 1
    let isSick = sessions[slot].failures >= configuration.failuresInARow || sessions[slot].isOnProbation
    guard isSick, sessions[slot].sickUntilMilliseconds <= nowMilliseconds else { return }
    sessions[slot].sickUntilMilliseconds = nowMilliseconds + nextPause(of: slot)
    sessions[slot].lostMilliseconds = nowMilliseconds
    sessions[slot].isOnProbation = true
  }

  // MARK: Answers that do not come

  func answerDueMilliseconds(_ slot: Int) -> UInt64? {
    let oldest = sessions[slot].sent.first
    return oldest == 0 ? nil : answerDueMilliseconds(ofCall: oldest)
  }

  /// By when upstream must have answered a call; nil if it may take as long as it likes.
  func answerDueMilliseconds(ofCall slot: Int) -> UInt64? {
    let limit = upstreams[calls[slot].upstream].answerMilliseconds
    guard limit > 0, calls[slot].progress == .sent else { return nil }
    return calls[slot].started.milliseconds(by: nowMilliseconds) + limit
  }

  mutating func expireUnanswered(_ slot: Int) {
    while let due = answerDueMilliseconds(slot), due <= nowMilliseconds, mayFire() {
      expire(task(of: sessions[slot].sent.first))
    }
  }

  /// What upstream takes too long for is given up, as if its callers' time were over.
  mutating func expire(_ task: TaskID) {
    noteFailure(calls[task.slot].session, isReached: true)
    store.expired(task, effects: &effects)
    performEffects()
  }
}
