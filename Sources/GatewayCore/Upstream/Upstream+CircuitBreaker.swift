import HotData
import JSONRPC
import TaskStore

/// Which connections get no requests for a while, because they fail.
extension Upstream {
  /// It answered one of our requests.
  @inline(__always)
  mutating func noteAnswer(_ slot: Int) {
    sessions[slot].closeCircuit()
  }

  /// It did not, or not in a way that makes sense.
  /// - Parameter isReached: it may have got the request.
  mutating func noteFailure(_ slot: Int, isReached: Bool) {
    let isAlone = pools[sessions[slot].upstream].sessions.count == 1
    // There is nobody else to ask: one that can be reached gets its chance.
    if isAlone && isReached { return }
    guard sessions[slot].circuit.fail(limit: configuration.failuresInARow, at: nowMilliseconds) else {
      return
    }
    sessions[slot].circuit = .open(untilMilliseconds: nowMilliseconds + nextPause(of: slot))
    sessions[slot].lostMilliseconds = nowMilliseconds
  }

  mutating func noteFailure(ofCall slot: Int) { noteFailure(calls[slot].session, isReached: true) }

  /// A call whose answer upstream takes too long for.
  func overdueCall(of slot: Int) -> Int? {
    guard let due = answerDueMilliseconds(slot), due <= nowMilliseconds else { return nil }
    return sessions[slot].sent.first
  }

  func answerDueMilliseconds(_ slot: Int) -> UInt64? {
    let oldest = sessions[slot].sent.first
    return oldest == 0 ? nil : answerDueMilliseconds(ofCall: oldest)
  }

  /// By when upstream must have answered a call; nil if it may take as long as it likes.
  func answerDueMilliseconds(ofCall slot: Int) -> UInt64? {
    let limit = pools[calls[slot].upstream].answerMilliseconds
    guard limit > 0, calls[slot].progress == .sent else { return nil }
    return calls[slot].started.milliseconds(by: nowMilliseconds) + limit
  }

  /// Doubling pauses between attempts, each shortened at random so that gateways do not return in step.
  mutating func rest(_ slot: Int) {
    sessions[slot].state = .resting(untilMilliseconds: nowMilliseconds + nextPause(of: slot))
  }

  mutating func nextPause(of slot: Int) -> UInt64 {
    let doublings = UInt64(min(sessions[slot].attempts, 20))
    let full = min(
      configuration.lastBackOffMilliseconds, configuration.firstBackOffMilliseconds << doublings)
    sessions[slot].attempts += 1
    return full - UInt64.random(in: 0...full / 2, using: &random)
  }
}
