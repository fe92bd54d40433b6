import HotData
import JSONRPC
import TaskStore

/// Connections to upstreams, and when something is due with them.
extension Upstream {
  /// When something is next due with an upstream.
  @inline(__always)
  func dueMilliseconds(ofUpstream upstream: Int) -> UInt64 {
    // Mostly nothing waits, and its only connection is there and is asked for no last words.
    guard pools[upstream].waitingCount == 0, let slot = pools[upstream].only, sessions[slot].isConnected,
      sessions[slot].speaksUntilMilliseconds == 0
    else { return dueMillisecondsOfAny(upstream) }
    return pools[upstream].answerMilliseconds == 0 ? .max : answerDueMilliseconds(slot) ?? .max
  }

  @inline(never)
  private func dueMillisecondsOfAny(_ upstream: Int) -> UInt64 {
    var due = expiryOfWaiting(upstream) ?? .max
    let hasWaiting = pools[upstream].waitingCount > 0
    for slot in pools[upstream].sessions {
      switch sessions[slot].state {
      case .connecting(let until): due = min(due, until)
      case .resting(let until) where isNeeded(upstream): due = min(due, until)
      case .resting, .connected, .ended: break
      }
      if hasWaiting, case .open(let until) = sessions[slot].circuit, until > nowMilliseconds {
        due = min(due, until)
      }
      due = min(due, answerDueMilliseconds(slot) ?? .max)
      if mayStillSpeak(slot) { due = min(due, sessions[slot].speaksUntilMilliseconds) }
    }
    return due
  }

  private mutating func sendOutput<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = UpstreamID(slot: slot)
    let before = sessions[slot].output.byteCount
    unsafe sessions[slot].output.send { chunks in unsafe sink.write(chunks, to: id) }
    counters.bytesToUpstreams &+= UInt64(before - sessions[slot].output.byteCount)
  }

  @inline(__always)
  mutating func closeEndedSessions<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    if !endedSessions.isEmpty { closeAllEnded(into: &sink) }
  }

  @inline(never)
  private mutating func closeAllEnded<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
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

  // MARK: What is there

  @inline(__always)
  func isConnected(_ slot: Int) -> Bool { sessions[slot].isConnected }
  @inline(__always)
  func upstream(ofSession slot: Int) -> Int { sessions[slot].upstream }
  func sessions(of upstream: Int) -> [Int] { pools[upstream].sessions }
  @inline(__always)
  func trustsAnswers(_ slot: Int) -> Bool { sessions[slot].trustsAnswers }
  func relaysNotifications(_ slot: Int) -> Bool { pools[sessions[slot].upstream].terms.relaysNotifications }
  func isCancelledByMCP(_ slot: Int) -> Bool { pools[sessions[slot].upstream].terms.handling.cancel == .mcp }
  func toleratesNoise(_ slot: Int) -> Bool { pools[sessions[slot].upstream].options.toleratesNoise }

  /// Nothing that upstreams have still to take.
  var hasSaidAll: Bool {
    for slot in 0..<sessions.endSlot where sessions.contains(slot) {
      if !sessions[slot].hasSaidAll { return false }
    }
    return true
  }

  // MARK: Coming and going

  /// A connection is there; false: nobody waits for it any more.
  mutating func connected(_ slot: Int) -> Bool {
    guard case .connecting = sessions[slot].state else { return false }
    counters.upstreamConnections += 1
    sessions[slot].state = .connected
    return true
  }

  /// A connection is gone, or the attempt at one; false: nobody needs it any more.
  mutating func disconnected(_ slot: Int) -> Bool {
    sessions[slot].isOpen = false
    if case .ended = sessions[slot].state { return false }
    return true
  }

  /// Nothing more is heard over a connection: it rests. Returns whether it was connected.
  mutating func lose(_ slot: Int) -> Bool {
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
    sessions[slot].framer = framer(pools[upstream].options)
    noteInput(ofUpstream: slot)
    return wasConnected
  }

  /// What came over a connection is no message, or beyond the bounds.
  mutating func noteRefusedMessage(from slot: Int) {
    counters.refusedMessages += 1
    refusedPlace = place(of: sessions[slot].upstream)
  }

  func connectsTooLong(_ slot: Int) -> Bool {
    if case .connecting(let until) = sessions[slot].state { until <= nowMilliseconds } else { false }
  }

  /// Its own questions are not answered any more, and messages that wait for it are dropped.
  mutating func forgetMessages(of slot: Int) {
    sessions[slot].asked = OpenQuestions()
    sessions[slot].aborts = []
    sessions[slot].messages = []
  }

  func anyCall(of slot: Int) -> Int? { sessions[slot].anyCall }

  // MARK: Reading

  @inline(__always)
  mutating func nextFrame(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int, of slot: Int
  ) -> MessageFrame {
    sessions[slot].framer.next(in: chunk, count: count, from: &offset)
  }

  mutating func takeAssembled(of slot: Int) -> AssembledMessage {
    checkPart(from: slot)
    return sessions[slot].framer.takeAssembled()
  }

  mutating func recycle(_ message: consuming AssembledMessage, of slot: Int) {
    sessions[slot].framer.recycle(message)
  }

  mutating func takeHead(of slot: Int) -> [UInt8] { sessions[slot].framer.takeHead() }

  /// As with clients, unless nothing of it is to be checked.
  @inline(never)
  mutating func checkPart(from slot: Int) {
    guard !sessions[slot].trustsAnswers else { return }
    sessions[slot].framer.check(
      from: configuration.checkedPartBytes, nestingLevels: upstreamScan.nestingLevels)
  }

  /// - Parameter verdict: on one that was checked while it came.
  @inline(__always)
  func scan(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ verdict: JSONCheck.Verdict?, into envelope: inout Envelope
  ) -> ScanOutcome {
    verdict.map { EnvelopeScanner.scan(bytes, message, checked: $0, upstreamScan, into: &envelope) }
      ?? EnvelopeScanner.scan(bytes, message, upstreamScan, into: &envelope)
  }

  /// Whether what it prints besides its messages is passed over, and counted.
  @inline(__always)
  func mayBeNoisy(_ slot: Int) -> Bool { sessions[slot].toleratesNoise }
  func noiseCount(of slot: Int) -> Int { sessions[slot].framer.noiseCount }
  mutating func countNoise(of slot: Int, since before: Int) {
    counters.noise += UInt64(sessions[slot].framer.noiseCount &- before)
  }
  mutating func noteMessage(_ slot: Int) { sessions[slot].noteMessage() }

  // MARK: Writing

  /// Flushes an upstream that all share whose only connection is as nearly all are: there is nothing to do but to write.
  /// Returns false if there may be more to do.
  @inline(__always)
  mutating func flushFast<Sink: GatewaySink & ~Copyable>(_ upstream: Int, into sink: inout Sink) -> Bool {
    guard let slot = pools[upstream].fastSession, sessions[slot].isOnFastPath else { return false }
    if !sessions[slot].output.isEmpty { sendOutput(slot, into: &sink) }
    return true
  }

  mutating func flushSessions<Sink: GatewaySink & ~Copyable>(of upstream: Int, into sink: inout Sink) {
    for index in pools[upstream].sessions.indices {
      flushSession(pools[upstream].sessions[index], into: &sink)
    }
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
    case .connected:
      setReading(ofUpstream: slot, into: &sink)
      sendOutput(slot, into: &sink)
      if sessions[slot].hasExchanges { flushExchanges(slot, into: &sink) }
      endIfSaid(slot, into: &sink)
    }
  }

  /// Whether a connection got much in this turn.
  var hasEarly: Bool {
    @inline(__always) get { earlySession >= 0 }
  }

  /// Writes what one connection got in this turn, if that is much; returns its upstream.
  @inline(__always)
  mutating func flushEarlySession<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) -> Int? {
    guard earlySession >= 0 else { return nil }
    let slot = earlySession
    earlySession = -1
    // Meanwhile it may have gone, and its number have a new owner.
    guard sessions.contains(slot), sessions[slot].isConnected, !sessions[slot].hasEnded else { return nil }
    sendOutput(slot, into: &sink)
    return sessions[slot].upstream
  }

  // MARK: The end of a client's input

  /// The client of an upstream of its own sends no more.
  /// - Parameter listens: what upstream says then still reaches it.
  mutating func noteClientEnd(_ upstream: Int, listens: Bool) {
    pools[upstream].clientHasEnded = true
    pools[upstream].listensAtEnd = listens
  }

  /// The end of a client's input is passed on to an upstream of its own, behind all that it has sent, and behind what
  /// undoes that.
  private mutating func endIfSaid<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let upstream = sessions[slot].upstream
    guard pools[upstream].clientHasEnded, !sessions[slot].hasEnded, sessions[slot].output.isEmpty,
      hasBeenSentAll(upstream), !pools[upstream].listensAtEnd || !mayHaveToUndo(over: slot)
    else { return }
    sessions[slot].hasEnded = true
    if pools[upstream].options.lastWordsMilliseconds > 0, pools[upstream].listensAtEnd {
      sessions[slot].speaksUntilMilliseconds = .max
    }
    sink.end(UpstreamID(slot: slot))
  }

  /// Until when an upstream of a client's own may speak that was told the end; nil: it was not, or is gone.
  func speaksUntilMilliseconds(_ upstream: Int) -> UInt64? {
    guard let slot = pools[upstream].sessions.first, sessions[slot].isConnected,
      sessions[slot].speaksUntilMilliseconds > 0
    else { return nil }
    return sessions[slot].speaksUntilMilliseconds
  }

  /// It has so long to say the last from now on; returns until when.
  mutating func limitLastWords(_ upstream: Int) -> UInt64 {
    let until = nowMilliseconds + pools[upstream].options.lastWordsMilliseconds
    for slot in pools[upstream].sessions { sessions[slot].speaksUntilMilliseconds = until }
    return until
  }

  /// Whether an upstream of a client's own has heard all that this client sent, and that no more comes, and has had its
  /// time to say the last; where there is no connection, nothing is kept for one.
  func hasDoneAll(_ upstream: Int) -> Bool {
    guard hasBeenSentAll(upstream) else { return false }
    for slot in pools[upstream].sessions where sessions[slot].isConnected {
      if !sessions[slot].hasEnded || mayStillSpeak(slot) { return false }
    }
    return true
  }

  private func mayStillSpeak(_ slot: Int) -> Bool {
    sessions[slot].isConnected && sessions[slot].speaksUntilMilliseconds > nowMilliseconds
  }

  /// Whether there is anything to connect for: not when its client sends no more, and nothing is kept for it.
  private func isNeeded(_ upstream: Int) -> Bool {
    !pools[upstream].clientHasEnded || pools[upstream].calls > 0
  }

  /// Whether something was sent over this connection that may have to be undone over it. It is asked in every turn, and
  /// so looks first at the call that it found last.
  private mutating func mayHaveToUndo(over slot: Int) -> Bool {
    let found = sessions[slot].undoable
    if found != 0, calls[found].session == slot, calls[found].mayBeUndoneYet { return true }
    let sent = firstToUndo(sessions[slot].sent)
    sessions[slot].undoable = sent != 0 ? sent : firstToUndo(sessions[slot].leaving)
    return sessions[slot].undoable != 0
  }

  private func firstToUndo(_ list: SlotList) -> Int {
    var call = list.first
    while call != 0, !calls[call].mayBeUndoneYet { call = callLinks.next(of: call) }
    return call
  }

  private func hasBeenSentAll(_ upstream: Int) -> Bool {
    var inFlight = 0
    for slot in pools[upstream].sessions { inFlight += sessions[slot].inFlight }
    return pools[upstream].calls == inFlight
  }
}
