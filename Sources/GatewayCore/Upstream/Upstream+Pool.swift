import HotData
import JSONRPC
import TaskStore

/// The pools of connections: which of them takes the next request.
extension Upstream {
  /// Of an upstream's connections that have room the one with the least in flight.
  @inline(__always)
  mutating func freeSession(of upstream: Int) -> Int? {
    guard pools[upstream].sessions.count == 1 else { return freestSession(of: upstream) }
    let only = pools[upstream].sessions[0]
    return hasRoom(only, of: upstream) ? only : nil
  }

  private mutating func freestSession(of upstream: Int) -> Int? {
    let count = pools[upstream].sessions.count
    var best: (slot: Int, index: Int)?
    for offset in 0..<count {
      let index = (pools[upstream].nextSession + offset) % count
      let slot = pools[upstream].sessions[index]
      guard hasRoom(slot, of: upstream) else { continue }
      guard let known = best, sessions[known.slot].inFlight <= sessions[slot].inFlight else {
        best = (slot, index)
        continue
      }
    }
    guard let best else { return nil }
    pools[upstream].nextSession = (best.index + 1) % count
    return best.slot
  }

  @inline(__always)
  private func hasRoom(_ slot: Int, of upstream: Int) -> Bool {
    let limit = sessions[slot].circuit.isClosed ? pools[upstream].inFlightLimit : 1
    return sessions[slot].inFlight < limit && sessions[slot].isUsable(at: nowMilliseconds)
      && sessions[slot].output.byteCount < pools[upstream].outputSoftBytes
  }

  /// Looks at no connection: what all of them have to write is in the blocks in use.
  @inline(__always)
  private func mayHaveTooMuchUnsent(_ upstream: Int) -> Bool {
    upstreamBlocks.holdsMore(than: pools[upstream].outputHardBytes &- pools[upstream].waitingBytes)
  }

  func unsentByteCount(_ upstream: Int) -> Int {
    var count = pools[upstream].waitingBytes
    for session in pools[upstream].sessions { count += sessions[session].output.byteCount }
    return count
  }

  mutating func makeSession(of upstream: Int, _ endpoint: Int) {
    let place = pools[upstream].place
    let session = sessions.insert(
      UpstreamSession(
        upstream: upstream, UpstreamEndpoint(upstream: place, endpoint: endpoint),
        configuration.upstreams[place], framer: framer(configuration.upstreams[place]), pool: upstreamBlocks,
        nowMilliseconds: nowMilliseconds
      ))
    pools[upstream].sessions.append(session)
  }

  func framer(_ options: UpstreamOptions) -> UpstreamFramer {
    UpstreamFramer(
      limitBytes: configuration.messageLimitBytes, framing: options.framing,
      toleratesNoise: options.toleratesNoise)
  }

  /// The upstreams that all clients share: their slots are their places in the configuration.
  mutating func makeSharedUpstreams() {
    for place in configuration.upstreams.indices {
      let slot = pools.insert(UpstreamPool(place: place, configuration))
      precondition(slot == place, "shared upstreams come before all others")
      guard !configuration.upstreams[place].isPerConnection else { continue }
      for endpoint in 0..<configuration.upstreams[place].endpoints { makeSession(of: slot, endpoint) }
    }
  }

  // MARK: Upstreams

  var slots: Range<Int> { 0..<pools.endSlot }
  func isThere(_ upstream: Int) -> Bool { pools.contains(upstream) }
  @inline(__always)
  func terms(of upstream: Int) -> UpstreamTerms { pools[upstream].terms }
  @inline(__always)
  func takesExchanges(_ upstream: Int) -> Bool { pools[upstream].takesExchanges }
  /// The client that an upstream is for; -1: for all.
  func client(of upstream: Int) -> Int { pools[upstream].client }
  func client(ofSession slot: Int) -> Int { pools[sessions[slot].upstream].client }
  func place(of upstream: Int) -> Int { pools[upstream].place }
  func isClosed(_ upstream: Int) -> Bool { pools[upstream].isClosed }
  func outputHardBytes(_ upstream: Int) -> Int { pools[upstream].outputHardBytes }

  /// Whether requests can be sent there at once.
  func isReachable(_ upstream: Int) -> Bool {
    pools[upstream].options.isPerConnection
      || pools[upstream].sessions.contains { sessions[$0].isConnected }
  }

  /// How requests are handled there by what their route says.
  func handling(at upstream: Int, _ wishes: Edge.Wishes) -> Handling {
    let options = pools[upstream].options
    let cancel = options.dialect(wishes.cancel, mustBeHeard: wishes.compensation >= 0)
    return Handling(
      cancel: cancel, endsOnCancel: cancel.isUnheard(byNotification: options.takesBackUnheard),
      priority: wishes.priority, compensation: wishes.compensation)
  }

  @inline(__always)
  func isAtABound(_ upstream: Int) -> Bool {
    pools[upstream].waitingCount >= pools[upstream].waitingLimit
      || mayHaveTooMuchUnsent(upstream) && unsentByteCount(upstream) > pools[upstream].outputHardBytes
  }

  /// Whether it is behind with what it was sent: from the soft bound on, until half of that is left.
  /// - Parameter isStopped: its client is not read from.
  func isBehind(_ upstream: Int, isStopped: Bool) -> Bool {
    let soft = pools[upstream].outputSoftBytes
    let enough = isStopped ? soft / 2 + 1 : soft
    return pools[upstream].sessions.contains { sessions[$0].output.byteCount >= enough }
  }

  // MARK: Upstreams of a client's own

  /// A new one; nil: the bound on them is reached.
  mutating func openOwn(at place: Int, for client: Int) -> Int? {
    guard openPrivateCount < configuration.privateUpstreams else { return nil }
    let slot = pools.insert(UpstreamPool(place: place, client: client, configuration))
    openPrivateCount += 1
    privateSoFar &+= 1
    makeSession(of: slot, privateSoFar % configuration.upstreams[place].endpoints)
    return slot
  }

  /// Nothing goes there any more; returns its connections, which end with this turn.
  mutating func beginClosing(_ upstream: Int) -> [Int] {
    pools[upstream].isClosed = true
    openPrivateCount -= 1
    // Kept until all is done, even if its last task goes before.
    pools[upstream].calls += 1
    for session in pools[upstream].sessions {
      sessions[session].state = .ended
      forgetHeld(ofUpstream: session)
      endedSessions.append(session)
    }
    return pools[upstream].sessions
  }

  /// What is queued still has to hear of it; the connection's number may be another's by then.
  mutating func endClosing(_ upstream: Int) {
    pools[upstream].sessions = []
    pools[upstream].calls -= 1
    removeIfClosed(upstream)
  }

  // MARK: Progress

  /// - Parameter isThere: whether a task has not ended.
  mutating func noteTokens(
    _ asked: AskedTokens, of task: TaskID, at upstream: Int, isThere: (TaskID) -> Bool
  ) {
    for token in [asked.workDone, asked.partialResult, asked.meta] {
      guard let token else { continue }
      let taskCount = pools[upstream].calls
      pools[upstream].tokens.add(token, of: task, taskCount: taskCount, isThere: isThere)
    }
  }

  func hasTokens(_ upstream: Int) -> Bool { pools[upstream].tokens.count > 0 }
  func task(named token: UInt64, from slot: Int) -> TaskID? { pools[sessions[slot].upstream].tokens[token] }

  /// The upstream has made a token of its own.
  mutating func forgetToken(_ token: UInt64, from slot: Int) {
    pools[sessions[slot].upstream].tokens.forget(token)
  }

  /// Whether clients that share it hear progress of it.
  func passesProgress(from session: Int) -> Bool { pools[sessions[session].upstream].terms.passesProgress }
  func replacedTokens(of task: TaskID) -> [PassedTokens.Place] { passedTokens.places(of: task) }

  /// - Parameters:
  ///   - taskCount: so many tasks there are.
  ///   - isThere: whether a task is one of them.
  mutating func replaceTokens(
    _ places: [PassedTokens.Place], of task: TaskID, taskCount: Int, isThere: (TaskID) -> Bool
  ) {
    passedTokens.add(places, of: task, taskCount: taskCount, isThere: isThere)
  }

  /// So many tokens are kept.
  var tokenCount: Int {
    var count = passedTokens.count
    for slot in slots where isThere(slot) { count += pools[slot].tokens.count }
    return count
  }

  mutating func removeIfClosed(_ upstream: Int) {
    guard pools[upstream].isClosed, pools[upstream].calls == 0 else { return }
    pools.remove(upstream)
  }
}
