import HotData
import JSONRPC
import TaskStore

/// The calls: what upstream works on, or will.
extension Upstream {
  /// What came of taking back a call.
  enum Cancelling {
    /// A notification on its way: it is known by no id.
    case isDelivered
    /// It was not sent.
    case isHere
    case isTold, isNotTold
  }

  // MARK: What is there

  func call(_ slot: Int) -> Call { calls[slot] }
  var callSlots: Range<Int> { calls.indices }
  @inline(__always)
  func isSent(_ slot: Int) -> Bool { calls[slot].isSent }
  /// Whether it was sent, and its answer is wanted.
  @inline(__always)
  func isWanted(_ slot: Int) -> Bool { calls[slot].progress == .sent }
  func isWaiting(_ slot: Int, at upstream: Int) -> Bool {
    calls[slot].progress == .waiting && calls[slot].upstream == upstream
  }
  @inline(__always)
  func isAt(_ session: Int, _ slot: Int) -> Bool { calls[slot].session == session }

  /// Whether nothing more is heard of a call once it is sent.
  func endsWhenSent(_ slot: Int) -> Bool {
    calls[slot].isNotification && !pools[calls[slot].upstream].takesExchanges
  }

  /// Calls of which what they ask is kept without need, for it is neither sent again nor undone.
  func isNeedless(_ slot: Int, isCompensated: Bool) -> Bool {
    switch calls[slot].progress {
    case .delivering: true
    case .cancelSent: !isCompensated
    case .held, .waiting, .sent, .compensating, .over: false
    }
  }

  // MARK: Coming

  /// A task was admitted.
  @inline(__always)
  mutating func expect(
    _ slot: Int, _ envelope: Envelope, at upstream: Int, _ handling: Handling, _ terms: UpstreamTerms,
    of account: Int
  ) {
    var call = Call()
    call.upstream = upstream
    call.allotment = allotments.number(of: account, at: pools[upstream].place)
    call.cancel = handling.cancel
    call.priority = handling.priority
    if terms.isPerConnection {
      // An upstream of the client's own gets everything in the order in which it came.
      call.priority = UInt8(Route.usualPriority)
      call.isUndoneByOwn = handling.compensation >= 0
    }
    call.isNotification = envelope.isNotification
    calls.reach(slot)
    calls[slot] = call
    pools[upstream].calls &+= 1
  }

  /// A task starts; returns its upstream, or -1: that is closed.
  @inline(__always)
  mutating func begin(_ slot: Int) -> Int {
    if calls[slot].isHeldBack { letGo(slot) }
    let upstream = calls[slot].upstream
    return pools[upstream].isClosed ? -1 : upstream
  }

  /// The connection that a task which starts can be sent over at once.
  @inline(__always)
  mutating func sessionAtOnce(for slot: Int, at upstream: Int, _ terms: UpstreamTerms) -> Int? {
    // Exchanges begin when the turn ends: the shell has to be asked for each.
    guard !pools[upstream].waiting.hasTurn, !terms.takesExchanges,
      allotments[calls[slot].allotment].hasRoom
    else { return nil }
    return freeSession(of: upstream)
  }

  // MARK: Sending

  /// A call was written to a connection, or begun as an exchange; returns whether it is a notification.
  @inline(__always)
  mutating func noteSent(_ slot: Int, over session: Int, admitted: Moment) -> Bool {
    counters.sentUpstream += 1
    times.queueing.record(admitted.age(at: nowMilliseconds))
    calls[slot].goes(over: session, at: nowMilliseconds)
    let outputBytes = sessions[session].noteSent(slot, &callLinks)
    takeRoom(for: slot)
    if outputBytes >= configuration.earlyOutputBytes { earlySession = session }
    return calls[slot].isNotification
  }

  /// Whether a notification that was sent goes on until it is delivered.
  mutating func isDelivering(_ slot: Int, over session: Int) -> Bool {
    guard pools[calls[slot].upstream].takesExchanges else { return false }
    calls[slot].progress = .delivering
    callLinks.remove(slot, from: &sessions[session].sent)
    callLinks.append(slot, to: &sessions[session].leaving)
    return true
  }

  // MARK: Taking back

  /// Nobody wants a call any more: upstream is told, in its dialect, unless it never heard of it.
  mutating func cancel(_ task: TaskID) -> Cancelling {
    let slot = task.slot
    if calls[slot].progress == .delivering { return .isDelivered }
    guard calls[slot].progress == .sent else { return .isHere }
    let session = calls[slot].session
    callLinks.remove(slot, from: &sessions[session].sent)
    callLinks.append(slot, to: &sessions[session].leaving)
    calls[slot].progress = .cancelSent
    calls[slot].left = Moment(nowMilliseconds)
    guard isTold(slot) else { return .isNotTold }
    counters.cancelsSent += 1
    if calls[slot].cancel == .abort {
      sessions[session].aborts.append(task)
      return .isTold
    }
    say(
      CancelText(
        id: task.rawValue, dialect: calls[slot].cancel,
        notification: pools[calls[slot].upstream].options.cancelNotification),
      over: session)
    return .isTold
  }

  /// Whether upstream hears of it when this call is not wanted any more.
  private func isTold(_ slot: Int) -> Bool {
    let session = calls[slot].session
    guard calls[slot].cancel != .none, !calls[slot].isExchangeOver else { return false }
    return session < 0 || !sessions[session].hasEnded
  }

  /// Whether the same makes it stop, as far as is known.
  func isToldAndStops(_ slot: Int) -> Bool {
    guard calls[slot].cancel == .abort else { return isTold(slot) }
    return pools[calls[slot].upstream].terms.stopsWhenAborted && isTold(slot)
  }

  // MARK: Ending

  /// Upstream answered a call that nobody wants any more, or delivered it.
  mutating func noteOver(_ slot: Int) { calls[slot].progress = .over }

  mutating func noteExchangeOver(_ slot: Int, _ isOver: Bool = true) { calls[slot].isExchangeOver = isOver }

  /// Nothing will come of a call any more; returns whether upstream has not said so itself.
  mutating func drop(_ task: TaskID, isUndoable: Bool) -> Bool {
    let call = calls[task.slot]
    if call.progress == .over { return false }
    if call.progress == .compensating { counters.compensationsFailed += 1 }
    if isUndoable && call.progress == .cancelSent { counters.compensationsLost += 1 }
    if call.progress == .cancelSent && hasEndedByCancel(call) { noteSaved(call) }
    let isAborted = call.progress == .cancelSent && call.cancel == .abort
    if call.session >= 0, pools[call.upstream].takesExchanges, !isAborted, !call.isExchangeOver {
      endExchange(of: task, over: call.session)
    }
    return true
  }

  /// Whether a call that is cancelled and dropped ended thereby: upstream says no more of it.
  private func hasEndedByCancel(_ call: Call) -> Bool {
    call.cancel.isUnheard(byNotification: pools[call.upstream].options.takesBackUnheard)
  }

  /// Forgets a call, wherever it is.
  /// - Parameter byteCount: of what it asks.
  @inline(__always)
  mutating func forget(_ slot: Int, byteCount: Int) {
    let upstream = calls[slot].upstream
    precondition(upstream >= 0, "a call ends twice")
    switch calls[slot].progress {
    case .held: if calls[slot].isHeldBack { letGo(slot) }
    case .waiting: leaveQueue(slot, byteCount: byteCount)
    case .sent, .delivering, .cancelSent, .compensating, .over: leaveSession(slot)
    }
    calls[slot] = Call()
    let isClosed = pools[upstream].forgetTask()
    if isClosed { removeIfClosed(upstream) }
  }

  /// Upstream never heard of it after all.
  private mutating func unsend(_ slot: Int) {
    leaveSession(slot)
    calls[slot].progress = .held
  }

  @inline(__always)
  private mutating func leaveSession(_ slot: Int) {
    let session = calls[slot].session
    let isWanted = calls[slot].progress == .sent
    calls[slot].session = -1
    giveRoomBack(of: slot)
    sessions[session].forget(slot, isWanted: isWanted, &callLinks)
  }

  // MARK: Exchanges

  /// An exchange ended without an answer, or a notification was not delivered.
  mutating func exchangeFailed(_ slot: Int, _ failure: ExchangeFailure, over session: Int) {
    // Not the endpoint's fault: a notification, which nobody answers, and what was not even tried.
    let isAwaited = !calls[slot].isNotification
    if isAwaited && failure != .untried { noteFailure(session, isReached: failure.mayBeHeard) }
    calls[slot].isExchangeOver = true
    if !failure.mayBeHeard && calls[slot].isSent {
      unsend(slot)
    }
  }

  private mutating func endExchange(of task: TaskID, over session: Int) {
    // An undoing of this turn has not begun yet.
    if let place = sessions[session].messages.firstIndex(where: { $0.task == task }) {
      sessions[session].messages.remove(at: place)
    } else {
      sessions[session].aborts.append(task)
    }
  }

  // MARK: Times

  /// Upstream answered a task that has a caller.
  @inline(__always)
  mutating func noteTimes(_ slot: Int, admitted: Moment) {
    times.upstream.record(calls[slot].started.age(at: nowMilliseconds))
    times.total.record(admitted.age(at: nowMilliseconds))
  }

  /// Upstream has begun to answer.
  mutating func noteFirstPiece(admitted: Moment) {
    times.firstPiece.record(admitted.age(at: nowMilliseconds))
  }

  /// Upstream answered what nobody waits for any more, or an undoing.
  @inline(never)
  mutating func noteLateAnswer(_ slot: Int, isError: Bool) {
    let call = calls[slot]
    guard call.progress == .cancelSent else {
      if isError { counters.compensationsFailed += 1 }
      return
    }
    counters.droppedLate += 1
    times.staleness.record(call.left.age(at: nowMilliseconds))
    if isError { noteSaved(call) }
  }

  /// Upstream ended a task before it was done.
  private mutating func noteSaved(_ call: Call) {
    let spent = call.started.age(at: nowMilliseconds)
    counters.upstreamSavedMilliseconds += max(times.upstream.meanMilliseconds, spent) - spent
  }

  /// Upstream never hears of a task that is not wanted any more.
  mutating func noteSpared() { counters.upstreamSavedMilliseconds += times.upstream.meanMilliseconds }

  @inline(never)
  mutating func dropUnknown(at slot: Int) {
    counters.droppedUnknown += 1
    sessions[slot].noteMessage()
  }
}
