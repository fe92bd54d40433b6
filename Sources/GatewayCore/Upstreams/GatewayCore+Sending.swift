import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: Starting

  mutating func start(_ task: TaskID) {
    let slot = task.slot
    let upstream = calls[slot].upstream
    if calls[slot].isHeldBack { letGo(slot) }
    guard !upstreams[upstream].isClosed, !isShutDown else { return doomed.append(task) }
    let terms = upstreams[upstream].terms
    // Exchanges begin when the turn ends: the shell has to be asked for each.
    if !upstreams[upstream].waiting.hasTurn, !terms.takesExchanges,
      allotments[calls[slot].allotment].hasRoom, let session = freeSession(of: upstream)
    {
      send(task, terms, over: session)
    } else {
      wait(slot, at: upstream)
    }
  }

  private mutating func wait(_ slot: Int, at upstream: Int) {
    let level = Int(calls[slot].priority)
    calls[slot].progress = .waiting
    calls[slot].started = Moment(nowMilliseconds)
    let generation = store.generation(inSlot: slot)
    waitingLines.add(
      slot, generation: generation, level: level, to: &upstreams[upstream].waiting,
      of: &allotments[calls[slot].allotment])
    arrivalLinks.append(slot, to: &upstreams[upstream].arrivals)
    upstreams[upstream].waitingCount += 1
    upstreams[upstream].waitingBytes += payloads.count(of: slot)
  }

  private mutating func leaveQueue(_ slot: Int) {
    let upstream = calls[slot].upstream
    waitingLines.remove(slot, from: &upstreams[upstream].waiting, of: &allotments[calls[slot].allotment])
    noteLeft(slot, upstream)
  }

  /// Takes out the task that goes next; there must be one.
  private mutating func takeFirstWaiting(_ upstream: Int) -> TaskID {
    let slot = waitingLines.first(of: upstreams[upstream].waiting)
    waitingLines.takeFirst(of: &upstreams[upstream].waiting, of: &allotments[calls[slot].allotment])
    noteLeft(slot, upstream)
    return task(of: slot)
  }

  private mutating func noteLeft(_ slot: Int, _ upstream: Int) {
    arrivalLinks.remove(slot, from: &upstreams[upstream].arrivals)
    upstreams[upstream].waitingCount -= 1
    upstreams[upstream].waitingBytes -= payloads.count(of: slot)
    calls[slot].progress = .held
  }

  /// Sends what waits, as far as there is room; returns whether there was any.
  @discardableResult
  mutating func sendWaiting(_ upstream: Int) -> Bool {
    guard upstreams[upstream].waiting.hasTurn, !upstreams[upstream].takesExchanges else { return false }
    var hasSent = false
    while upstreams[upstream].waiting.hasTurn, let session = freeSession(of: upstream) {
      let task = takeFirstWaiting(upstream)
      send(task, upstreams[upstream].terms, over: session)
      performEffects()
      hasSent = true
    }
    return hasSent
  }

  // MARK: Sending

  /// Writes a task to its upstream under our own id.
  @inline(__always)
  private mutating func send(_ task: TaskID, _ terms: UpstreamTerms, over session: Int) {
    let slot = task.slot
    let id = calls[slot].isNotification ? nil : task.rawValue
    let isWritten =
      terms.takesLines && !terms.passesTask
      && payloads.withBytes(of: slot) { asked in
        sessions[session].output.write(upTo: MessageWriter.surroundingBytes + asked.count) {
          MessageWriter.requestLine(id, asking: asked, into: &$0)
        }
      }
    if !isWritten { write(text(of: task), over: session) }
    sent(task, over: session)
  }

  /// Writes any request, in any frame.
  @inline(never)
  private mutating func write(_ text: RequestText, over session: Int) {
    let framing = upstreams[sessions[session].upstream].options.framing
    if framing == .contentLength {
      var counter = ByteCounter()
      text.write(payloads, traces, into: &counter)
      MessageWriter.openFrame(as: framing, byteCount: counter.byteCount, into: &sessions[session].output)
    }
    text.write(payloads, traces, into: &sessions[session].output)
    MessageWriter.closeFrame(as: framing, into: &sessions[session].output)
  }

  private func text(of task: TaskID) -> RequestText {
    let slot = task.slot
    let passesTask = upstreams[calls[slot].upstream].terms.passesTask
    return RequestText(
      id: calls[slot].isNotification ? nil : task.rawValue, slot: slot,
      remainingMilliseconds: passesTask ? remainingMilliseconds(slot) : nil)
  }

  /// Never 0, which would be no time at all, nor more than may be said.
  private func remainingMilliseconds(_ slot: Int) -> UInt64 {
    guard calls[slot].timeoutMilliseconds < Admission.unlimited else { return Self.longestMilliseconds }
    let passed = calls[slot].admitted.age(at: nowMilliseconds)
    return max(UInt64(calls[slot].timeoutMilliseconds), passed + 1) - passed
  }

  /// The longest duration of the protocol.
  private static let longestMilliseconds: UInt64 = 3_600_000

  @inline(__always)
  private mutating func sent(_ task: TaskID, over session: Int) {
    let slot = task.slot
    counters.sentUpstream += 1
    times.queueing.record(calls[slot].admitted.age(at: nowMilliseconds))
    calls[slot].goes(over: session, at: nowMilliseconds)
    let outputBytes = sessions[session].noteSent(slot, &callLinks)
    takeRoom(for: slot)
    if outputBytes >= configuration.earlyOutputBytes { earlySession = session }
    if journal.isOpen { noteSent(task) }
    if calls[slot].isNotification { sentNotification(task, over: session) }
    // Nobody can join a task in no lane: what it asked need not be kept, unless it may have to be undone.
    if !calls[slot].isKeyed && calls[slot].compensation < 0 { forgetAsked(slot) }
  }

  /// Written to a connection a notification has ended; with an exchange of its own it goes on until it is delivered.
  @inline(never)
  private mutating func sentNotification(_ task: TaskID, over session: Int) {
    let slot = task.slot
    strikeNotification(slot)
    guard upstreams[calls[slot].upstream].takesExchanges else { return settled.append(task) }
    // The message is with its exchange: nobody joins a notification, and nobody undoes one.
    forgetParams(slot)
    calls[slot].progress = .delivering
    callLinks.remove(slot, from: &sessions[session].sent)
    callLinks.append(slot, to: &sessions[session].leaving)
  }

  // MARK: Exchanges

  /// Begins exchanges for what waits, as far as there is room.
  mutating func beginWaiting<Sink: GatewaySink & ~Copyable>(_ upstream: Int, into sink: inout Sink) {
    while upstreams[upstream].waiting.hasTurn, let session = freeSession(of: upstream) {
      let task = takeFirstWaiting(upstream)
      var message: [UInt8] = []
      text(of: task).write(payloads, traces, into: &message)
      counters.bytesToUpstreams &+= UInt64(message.count)
      sink.begin(exchange(task), over: UpstreamID(slot: session), message)
      sent(task, over: session)
      performEffects()
    }
  }

  private func exchange(_ task: TaskID) -> Exchange {
    var traceparent: [UInt8] = []
    traces.copyFirst(of: task.slot, dividedAt: traces.count(of: task.slot), into: &traceparent)
    return Exchange(
      task: task, isNotification: calls[task.slot].isNotification,
      remainingMilliseconds: remainingMilliseconds(task.slot), traceparent: traceparent)
  }

  /// Tells the shell what else is to be said, and what is to be aborted.
  mutating func flushExchanges<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = UpstreamID(slot: slot)
    for (task, bytes) in sessions[slot].messages {
      let exchange = Exchange(
        task: task, remainingMilliseconds: store.limits.compensationMilliseconds, traceparent: [])
      counters.bytesToUpstreams &+= UInt64(bytes.count)
      sink.begin(exchange, over: id, bytes)
    }
    sessions[slot].messages.removeAll(keepingCapacity: true)
    // Behind them: what one of them began may have been given up in the same turn.
    for task in sessions[slot].aborts { sink.abort(task, over: id) }
    sessions[slot].aborts.removeAll(keepingCapacity: true)
  }

  // MARK: Taking back

  /// Nobody wants this task any more: upstream is told, in its dialect, unless it never heard of it.
  mutating func cancel(_ task: TaskID) {
    let slot = task.slot
    // Upstream knows no notification by an id: its exchange ends at most, if it is dropped.
    if calls[slot].progress == .delivering { return }
    guard calls[slot].progress == .sent else {
      // Still here: it has ended. A task that ends on its cancel is dropped by the store itself.
      guard store.knows(task) else { return }
      // When it is dropped nothing is known of it any more.
      if journal.isOpen { noteDrop(task, calls[slot]) }
      return settled.append(task)
    }
    let session = calls[slot].session
    callLinks.remove(slot, from: &sessions[session].sent)
    callLinks.append(slot, to: &sessions[session].leaving)
    calls[slot].progress = .cancelSent
    calls[slot].left = Moment(nowMilliseconds)
    // It is never sent again: what it asked is of use only for undoing it.
    if calls[slot].compensation < 0 { forgetParams(slot) }
    guard isTold(slot) else { return }
    counters.cancelsSent += 1
    if journal.isOpen { note(.cancelSent, task) }
    if calls[slot].cancel == .abort { return sessions[session].aborts.append(task) }
    say(
      CancelText(
        id: task.rawValue, dialect: calls[slot].cancel,
        notification: upstreams[calls[slot].upstream].options.cancelNotification),
      over: session)
  }

  /// Whether upstream hears of it when this call is not wanted any more.
  func isTold(_ slot: Int) -> Bool {
    let session = calls[slot].session
    guard calls[slot].cancel != .none, !calls[slot].isExchangeOver else { return false }
    return session < 0 || !sessions[session].hasEnded
  }

  /// Whether the same makes it stop, as far as is known.
  func isToldAndStops(_ slot: Int) -> Bool {
    guard calls[slot].cancel == .abort else { return isTold(slot) }
    return upstreams[calls[slot].upstream].terms.stopsWhenAborted && isTold(slot)
  }

  private mutating func say(_ cancel: CancelText, over session: Int) {
    let options = upstreams[sessions[session].upstream].options
    guard options.shape == .connection else {
      var message: [UInt8] = []
      cancel.write(into: &message)
      return sessions[session].messages.append((nil, message))
    }
    if options.framing == .contentLength {
      var counter = ByteCounter()
      cancel.write(into: &counter)
      MessageWriter.openFrame(
        as: options.framing, byteCount: counter.byteCount, into: &sessions[session].output)
    }
    cancel.write(into: &sessions[session].output)
    MessageWriter.closeFrame(as: options.framing, into: &sessions[session].output)
  }

  /// A task that succeeded too late is undone: what it asked, and what came of it, are the params.
  mutating func compensate(_ undoing: TaskID, _ bytes: Span<UInt8>, _ result: Range<Int>) {
    let slot = undoing.slot
    let session = calls[slot].session
    let division = calls[slot].methodBytes
    calls[slot].progress = .compensating
    counters.compensationsSent += 1
    var message: [UInt8] = []
    MessageWriter.openRequest(undoing.rawValue, into: &message)
    MessageWriter.appendString(router.compensations[calls[slot].compensation], into: &message)
    message.append(",\"params\":{")
    if division < payloads.count(of: slot) {
      message.append("\"params\":")
      payloads.copySecond(of: slot, dividedAt: division, into: &message)
      message.append(",")
    }
    message.append("\"result\":")
    message.append(bytes, result)
    message.append("}}")
    let options = upstreams[calls[slot].upstream].options
    guard options.shape == .connection else {
      return sessions[session].messages.append((undoing, message))
    }
    MessageWriter.message(message.span, as: options.framing, into: &sessions[session].output)
  }

  // MARK: Forgetting

  /// Nothing will come of this task any more; of an undoing that was not answered nobody knows.
  mutating func drop(_ task: TaskID) {
    let call = calls[task.slot]
    if call.progress == .compensating { counters.compensationsFailed += 1 }
    if call.progress == .cancelSent && hasEndedByCancel(call) { noteSaved(call) }
    if journal.isOpen { noteDrop(task, call) }
    let isAborted = call.progress == .cancelSent && call.cancel == .abort
    if call.session >= 0, upstreams[call.upstream].takesExchanges, !isAborted, !call.isExchangeOver {
      endExchange(of: task, over: call.session)
    }
    forgetCall(task.slot)
  }

  /// Whether a call that is cancelled and dropped ended thereby: upstream says no more of it.
  private func hasEndedByCancel(_ call: Call) -> Bool {
    call.cancel.isUnheard(byNotification: upstreams[call.upstream].options.takesBackUnheard)
  }

  private mutating func endExchange(of task: TaskID, over session: Int) {
    // An undoing of this turn has not begun yet.
    if let place = sessions[session].messages.firstIndex(where: { $0.task == task }) {
      sessions[session].messages.remove(at: place)
    } else {
      sessions[session].aborts.append(task)
    }
  }

  /// Upstream never heard of it after all.
  mutating func unsend(_ slot: Int) {
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

  /// Forgets what there was to know of a task, wherever it is; nothing if that has happened before.
  @inline(__always)
  mutating func forgetCall(_ slot: Int) {
    let upstream = calls[slot].upstream
    guard upstream >= 0 else { return }
    switch calls[slot].progress {
    case .held: if calls[slot].isHeldBack { letGo(slot) }
    case .waiting: leaveQueue(slot)
    case .sent, .delivering, .cancelSent, .compensating: leaveSession(slot)
    }
    if calls[slot].isListed { strike(slot) }
    let (account, askedBytes) = (calls[slot].account, requestByteCount(of: slot))
    calls[slot] = Call()
    payloads.forget(slot)
    if traces.byteCount > 0 { traces.forgetApart(slot) }
    discharge(account, byteCount: askedBytes)
    let isClosed = upstreams[upstream].forgetTask()
    if isClosed { removeIfClosed(upstream) }
  }
}
