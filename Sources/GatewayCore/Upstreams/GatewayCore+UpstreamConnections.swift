import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: Making

  /// The upstreams that all clients share: their slots are their places in the configuration.
  mutating func makeSharedUpstreams() {
    for place in configuration.upstreams.indices {
      let slot = upstreams.insert(Upstream(place: place, configuration))
      precondition(slot == place, "shared upstreams come before all others")
      guard !configuration.upstreams[place].isPerConnection else { continue }
      for endpoint in 0..<configuration.upstreams[place].endpoints { makeSession(of: slot, endpoint) }
    }
  }

  mutating func makeSession(of upstream: Int, _ endpoint: Int) {
    let place = upstreams[upstream].place
    let session = sessions.insert(
      UpstreamSession(
        upstream: upstream, UpstreamEndpoint(upstream: place, endpoint: endpoint),
        trustsAnswers: configuration.upstreams[place].trustsAnswers,
        framer: framer(configuration.upstreams[place]), pool: upstreamBlocks, nowMilliseconds: nowMilliseconds
      ))
    upstreams[upstream].sessions.append(session)
  }

  private func framer(_ options: UpstreamOptions) -> UpstreamFramer {
    UpstreamFramer(
      limitBytes: configuration.messageLimitBytes, framing: options.framing,
      toleratesNoise: options.toleratesNoise)
  }

  // MARK: Events

  package mutating func upstreamConnected(_ id: UpstreamID) {
    guard case .connecting = sessions[id.slot].state else { return }
    counters.upstreamConnections += 1
    sessions[id.slot].state = .connected
    sendWaiting(sessions[id.slot].upstream)
  }

  /// The connection, or the attempt at one, failed: what it worked on is lost, and is never sent again by itself.
  package mutating func upstreamDisconnected(_ id: UpstreamID) {
    handleHeld(ofUpstream: id.slot)
    sessions[id.slot].isOpen = false
    if case .ended = sessions[id.slot].state { return }
    lose(id.slot)
  }

  package mutating func upstreamBecameWritable(_ id: UpstreamID) {
    if sessions[id.slot].isConnected { sendWaiting(sessions[id.slot].upstream) }
  }

  /// Whatever is still open of this connection ends.
  mutating func lose(_ slot: Int) {
    let upstream = sessions[slot].upstream
    let wasConnected = sessions[slot].isConnected
    if wasConnected {
      counters.upstreamDisconnections += 1
      sessions[slot].lostMilliseconds = nowMilliseconds
    }
    forgetHeld(ofUpstream: slot)
    sessions[slot].isReadingStopped = false
    rest(slot)
    sessions[slot].output.removeAll()
    sessions[slot].framer = framer(upstreams[upstream].options)
    noteInput(ofUpstream: slot)
    let client = upstreams[upstream].client
    guard client >= 0, wasConnected else { return failCalls(of: slot) }
    // What the upstream knew of this client is gone, and nobody but the client can tell it again.
    closeUpstream(upstream)
    clients[client].isLeaving = true
    markDirty(client)
  }

  /// What was sent over this connection fails, and nothing more is heard of it.
  mutating func failCalls(of slot: Int) {
    sessions[slot].asked = [:]
    sessions[slot].aborts = []
    sessions[slot].messages = []
    while let call = sessions[slot].anyCall {
      fail(task(of: call), .upstreamUnavailable)
    }
  }

  /// Doubling pauses between attempts, each shortened at random so that gateways do not return in step.
  private mutating func rest(_ slot: Int) {
    sessions[slot].state = .resting(untilMilliseconds: nowMilliseconds + nextPause(of: slot))
  }

  mutating func nextPause(of slot: Int) -> UInt64 {
    let doublings = UInt64(min(sessions[slot].attempts, 20))
    let full = min(
      configuration.lastBackOffMilliseconds, configuration.firstBackOffMilliseconds << doublings)
    sessions[slot].attempts += 1
    return full - UInt64.random(in: 0...full / 2, using: &random)
  }

  // MARK: Time

  /// When something is next due with an upstream.
  func dueMilliseconds(ofUpstream upstream: Int) -> UInt64 {
    var due = expiryOfWaiting(upstream) ?? .max
    let hasWaiting = upstreams[upstream].waitingCount > 0
    for slot in upstreams[upstream].sessions {
      switch sessions[slot].state {
      case .connecting(let until): due = min(due, until)
      case .resting(let until) where isNeeded(upstream): due = min(due, until)
      case .resting, .connected, .ended: break
      }
      if hasWaiting, sessions[slot].sickUntilMilliseconds > nowMilliseconds {
        due = min(due, sessions[slot].sickUntilMilliseconds)
      }
      due = min(due, answerDueMilliseconds(slot) ?? .max)
      if mayStillSpeak(slot) { due = min(due, sessions[slot].speaksUntilMilliseconds) }
    }
    return due
  }

  mutating func timeAdvanced(atUpstream upstream: Int) {
    for index in upstreams[upstream].sessions.indices {
      let slot = upstreams[upstream].sessions[index]
      expireUnanswered(slot)
      // One that was never there takes nothing with it, not even an upstream of a client's own.
      if case .connecting(let until) = sessions[slot].state, until <= nowMilliseconds { lose(slot) }
    }
    failOverdue(upstream)
  }

  /// When the first of those that wait has waited too long for a connection: for as long as there is none.
  private func expiryOfWaiting(_ upstream: Int) -> UInt64? {
    guard upstreams[upstream].waitingCount > 0 else { return nil }
    var lost: UInt64 = 0
    for slot in upstreams[upstream].sessions {
      if sessions[slot].isUsable(at: nowMilliseconds) { return nil }
      lost = max(lost, sessions[slot].lostMilliseconds)
    }
    let started = calls[upstreams[upstream].arrivals.first].started.milliseconds(by: nowMilliseconds)
    return max(started, lost) + upstreams[upstream].connectMilliseconds
  }

  /// Fails what has waited too long for a connection.
  private mutating func failOverdue(_ upstream: Int) {
    while let expiry = expiryOfWaiting(upstream), expiry <= nowMilliseconds, mayFire() {
      let first = upstreams[upstream].arrivals.first
      fail(task(of: first), .upstreamUnavailable)
    }
  }

  func task(of call: Int) -> TaskID {
    guard let task = store.task(inSlot: call) else { preconditionFailure("a call outlived its task") }
    return task
  }

  // MARK: Output

  mutating func flushEarlySession<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    let slot = earlySession
    earlySession = -1
    // Meanwhile it may have gone, and its number have a new owner.
    guard sessions.contains(slot), sessions[slot].isConnected, !sessions[slot].hasEnded else {
      return
    }
    sendOutput(slot, into: &sink)
    setReadingOfClient(of: sessions[slot].upstream, into: &sink)
  }

  /// A client that waits for its own upstreams is read from as they take what it sends.
  private mutating func setReadingOfClient<Sink: GatewaySink & ~Copyable>(
    of upstream: Int, into sink: inout Sink
  ) {
    let client = upstreams[upstream].client
    guard client >= 0, !upstreams[upstream].isClosed else { return }
    guard clients[client].listener.waitsForUpstreams else { return }
    setReading(client, into: &sink)
    wait(for: client, hasAdvanced: false)
  }

  mutating func flushUpstreams<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    for upstream in 0..<upstreams.endSlot where upstreams.contains(upstream) {
      flushUpstream(upstream, into: &sink)
    }
    if !endedSessions.isEmpty { closeEndedSessions(into: &sink) }
  }

  private mutating func sendOutput<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = UpstreamID(slot: slot)
    let before = sessions[slot].output.byteCount
    unsafe sessions[slot].output.send { chunks in unsafe sink.write(chunks, to: id) }
    counters.bytesToUpstreams &+= UInt64(before - sessions[slot].output.byteCount)
  }

  private mutating func closeEndedSessions<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    for slot in endedSessions {
      let id = UpstreamID(slot: slot)
      // A client's last words still reach its upstream.
      if sessions[slot].isOpen && !sessions[slot].hasEnded {
        sendOutput(slot, into: &sink)
      }
      if sessions[slot].isOpen { sink.disconnect(id) }
      upstreamInputBytes -= sessions[slot].inputBytes
      sessions.remove(slot)
    }
    endedSessions.removeAll(keepingCapacity: true)
  }

  private mutating func flushUpstream<Sink: GatewaySink & ~Copyable>(
    _ upstream: Int, into sink: inout Sink
  ) {
    let takesExchanges = upstreams[upstream].takesExchanges
    if takesExchanges { beginWaiting(upstream, into: &sink) }
    // A write that took everything is followed by no `upstreamBecameWritable`: what waits goes on here.
    repeat {
      for index in upstreams[upstream].sessions.indices {
        flushSession(upstreams[upstream].sessions[index], into: &sink)
      }
    } while sendWaiting(upstream)
    setReadingOfClient(of: upstream, into: &sink)
    letClientGo(of: upstream)
  }

  /// A client that sends no more closes once its own upstreams have heard all that it sent, and have said the last.
  private mutating func letClientGo(of upstream: Int) {
    let client = upstreams[upstream].client
    guard client >= 0, !upstreams[upstream].isClosed, clients[client].output.isEmpty, hasEndedAll(client)
    else { return }
    markDirty(client)
    hasSettled = true
  }

  private mutating func flushSession<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = UpstreamID(slot: slot)
    switch sessions[slot].state {
    case .connecting, .ended: return
    case .resting(let until):
      if sessions[slot].isOpen {
        sessions[slot].isOpen = false
        sink.disconnect(id)
      }
      guard until <= nowMilliseconds, isNeeded(sessions[slot].upstream) else { return }
      let limit = configuration.attemptMilliseconds
      sessions[slot].state = .connecting(untilMilliseconds: limit > 0 ? nowMilliseconds + limit : .max)
      sessions[slot].isOpen = true
      sink.connect(id, to: sessions[slot].endpoint)
    case .connected where sessions[slot].hasEnded:
      // It was told that nothing more comes.
      sessions[slot].output.removeAll()
      setReading(ofUpstream: slot, into: &sink)
      limitLastWords(slot)
    case .connected:
      setReading(ofUpstream: slot, into: &sink)
      sendOutput(slot, into: &sink)
      if sessions[slot].hasExchanges { flushExchanges(slot, into: &sink) }
      endIfSaid(slot, into: &sink)
    }
  }

  /// The end of a client's input is passed on to an upstream of its own, behind all that it has sent.
  private mutating func endIfSaid<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let upstream = sessions[slot].upstream
    let client = upstreams[upstream].client
    guard client >= 0, clients[client].hasEnded, !sessions[slot].hasEnded, sessions[slot].output.isEmpty,
      hasBeenSentAll(upstream)
    else { return }
    sessions[slot].hasEnded = true
    if upstreams[upstream].options.lastWordsMilliseconds > 0, !clients[client].listener.cancelsAtEnd {
      sessions[slot].speaksUntilMilliseconds = .max
    }
    sink.end(UpstreamID(slot: slot))
    limitLastWords(slot)
  }

  /// An upstream of a client's own that was told the end has its time to say the last once all else is answered.
  private mutating func limitLastWords(_ slot: Int) {
    let upstream = sessions[slot].upstream
    let client = upstreams[upstream].client
    guard sessions[slot].speaksUntilMilliseconds == .max, clients[client].unanswered == 0 else { return }
    sessions[slot].speaksUntilMilliseconds =
      nowMilliseconds + upstreams[upstream].options.lastWordsMilliseconds
    wait(for: client, hasAdvanced: false)
  }

  /// Whether an upstream of a client's own has heard all that this client sent, and that no more comes, and has had its
  /// time to say the last; where there is no connection, nothing is kept for one.
  func hasDoneAll(_ upstream: Int) -> Bool {
    guard hasBeenSentAll(upstream) else { return false }
    for slot in upstreams[upstream].sessions where sessions[slot].isConnected {
      if !sessions[slot].hasEnded || mayStillSpeak(slot) { return false }
    }
    return true
  }

  private func mayStillSpeak(_ slot: Int) -> Bool {
    sessions[slot].isConnected && sessions[slot].speaksUntilMilliseconds > nowMilliseconds
  }

  /// Whether an upstream of a client's own was told that this client sends no more, and is still listened to.
  func mayStillHear(_ client: Int) -> Bool {
    for upstream in clients[client].ownUpstreams {
      for slot in upstreams[upstream].sessions where mayStillSpeak(slot) { return true }
    }
    return false
  }

  /// Whether there is anything to connect for: not when its client sends no more, and nothing is kept for it.
  private func isNeeded(_ upstream: Int) -> Bool {
    let client = upstreams[upstream].client
    return client < 0 || !clients[client].hasEnded || upstreams[upstream].calls > 0
  }

  private func hasBeenSentAll(_ upstream: Int) -> Bool {
    var inFlight = 0
    for slot in upstreams[upstream].sessions { inFlight += sessions[slot].inFlight }
    return upstreams[upstream].calls == inFlight
  }
}
