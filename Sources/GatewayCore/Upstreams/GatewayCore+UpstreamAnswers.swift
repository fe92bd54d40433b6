import HotData
import JSONRPC
package import TaskStore

extension GatewayCore {
  /// Handles messages of an upstream until there is no more of them, or its share is spent.
  mutating func readAnswers(_ chunk: Span<UInt8>, count: Int, from slot: Int, at offset: inout Int) {
    let noise = sessions[slot].framer.noiseCount
    var envelope = Envelope()
    while sessions[slot].isConnected && !share.isSpent {
      share.spend(messages: 1)
      switch sessions[slot].framer.next(in: chunk, count: count, from: &offset) {
      case .incomplete:
        checkPart(from: slot)
        return countNoise(of: slot, since: noise)
      case .inPlace(let message):
        handleMessage(chunk, message, from: slot, into: &envelope)
      case .assembled:
        handleAssembled(from: slot)
      case .tooLong:
        refuseTooLong(from: slot)
      case .badHeader:
        reset(slot)
      }
    }
    if sessions[slot].isConnected { countNoise(of: slot, since: noise) }
  }

  private mutating func countNoise(of slot: Int, since before: Int) {
    counters.noise += UInt64(sessions[slot].framer.noiseCount &- before)
  }

  @inline(never)
  private mutating func handleAssembled(from slot: Int) {
    checkPart(from: slot)
    let message = sessions[slot].framer.takeAssembled()
    workBytes += message.range.count
    var envelope = Envelope()
    message.withSpan { handleMessage($0, message.range, message.verdict, from: slot, into: &envelope) }
    sessions[slot].framer.recycle(message)
  }

  /// As with clients, unless nothing of it is to be checked.
  @inline(never)
  private mutating func checkPart(from slot: Int) {
    guard !sessions[slot].trustsAnswers else { return }
    sessions[slot].framer.check(
      from: configuration.checkedPartBytes, nestingLevels: upstreamScan.nestingLevels)
  }

  /// - Parameter verdict: on one that was checked while it came.
  @inline(__always)
  private mutating func handleMessage(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ verdict: JSONCheck.Verdict? = nil, from slot: Int,
    into envelope: inout Envelope
  ) {
    if sessions[slot].trustsAnswers && isTakenByHead(bytes, message, from: slot) { return }
    let outcome =
      verdict.map { EnvelopeScanner.scan(bytes, message, checked: $0, upstreamScan, into: &envelope) }
      ?? EnvelopeScanner.scan(bytes, message, upstreamScan, into: &envelope)
    if case .message = outcome, envelope.isResponse { return handleAnswer(bytes, envelope, from: slot) }
    handleOther(outcome, envelope, in: bytes, message, from: slot)
  }

  /// What is no answer.
  @inline(never)
  private mutating func handleOther(
    _ outcome: ScanOutcome, _ envelope: Envelope, in bytes: Span<UInt8>, _ message: Range<Int>,
    from slot: Int
  ) {
    switch outcome {
    case .message:
      sessions[slot].noteMessage()
      upstreamAsked(bytes, envelope, from: slot)
    case .batch:
      counters.unsolicited += 1
    case .invalid:
      failCall(named: envelope, in: bytes, from: slot)
    case .malformed:
      refuse(bytes, message, isTooDeep: false, from: slot)
    case .tooDeep:
      refuse(bytes, message, isTooDeep: true, from: slot)
    }
  }

  @inline(__always)
  private mutating func handleAnswer(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) {
    guard let task = task(named: envelope.id, in: bytes, from: slot) else { return dropUnknown(at: slot) }
    noteAnswer(slot)
    finish(task, bytes, AnswerBody(of: envelope))
  }

  @inline(never)
  private mutating func dropUnknown(at slot: Int) {
    counters.droppedUnknown += 1
    sessions[slot].noteMessage()
  }

  @inline(__always)
  private mutating func finish(_ task: TaskID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    if isLate, !fireOverdue(of: task) { return counters.droppedUnknown += 1 }
    let isError = answer.isError
    if calls[task.slot].progress == .sent {
      noteTimes(calls[task.slot])
    } else {
      noteLateAnswer(task, isError: isError)
    }
    // What has to be undone is still needed.
    let mayBeUndone = calls[task.slot].compensation >= 0
    let isOver = isError || !mayBeUndone || !store.owesCompensation(task)
    if journal.isOpen && isOver { noteAnswer(task, isError: isError) }
    if isOver { forgetCall(task.slot) }
    store.finished(task, isError: isError, effects: &effects)
    performAnswer(bytes, answer)
  }

  /// The task that an answer names, if it was sent over this connection and has not ended.
  @inline(__always)
  private func task(named id: ByteRange, in bytes: Span<UInt8>, from slot: Int) -> TaskID? {
    guard let number = JSONNumber.nonNegativeInteger(id, in: bytes),
      let task = TaskID(exactly: number)
    else { return nil }
    return isAt(slot, task) ? task : nil
  }

  @inline(__always)
  private func isAt(_ session: Int, _ task: TaskID) -> Bool {
    store.knows(task) && calls[task.slot].session == session
  }

  // MARK: Trust

  /// Takes an answer of a trusted upstream without reading what it holds; false when it has to be read, as any message
  /// that does not begin as nearly all answers do.
  @inline(never)
  private mutating func isTakenByHead(
    _ bytes: Span<UInt8>, _ message: Range<Int>, from slot: Int
  ) -> Bool {
    guard let head = AnswerHead(of: message, in: bytes) else { return false }
    guard let task = task(named: head.id, in: bytes, from: slot) else {
      dropUnknown(at: slot)
      return true
    }
    // What goes into a text beside others' must not spoil it.
    guard calls[task.slot].compensation < 0, !calls[task.slot].isBatched else { return false }
    noteAnswer(slot)
    finish(task, bytes, AnswerBody(of: head))
    return true
  }

  // MARK: Failures

  /// An answer that is JSON but no JSON-RPC: its task fails, the connection is still in step.
  private mutating func failCall(named envelope: Envelope, in bytes: Span<UInt8>, from slot: Int) {
    guard !envelope.id.isEmpty, let task = task(named: envelope.id, in: bytes, from: slot) else {
      counters.droppedUnknown += 1
      return
    }
    fail(task, at: slot)
  }

  /// What is no JSON, nested too deep or too long may still name the call that it was to answer, or ask itself: nobody
  /// has to wait for that any more. Where it does not, what is no JSON is noise, or ends the connection.
  private mutating func refuse(
    _ bytes: Span<UInt8>, _ message: Range<Int>, isTooDeep: Bool, from slot: Int
  ) {
    let toleratesNoise = upstreams[sessions[slot].upstream].options.toleratesNoise
    // Only where nothing else is wrong the messages behind it are surely messages.
    guard isTooDeep || toleratesNoise else { return reset(slot) }
    guard let message = RefusedMessage(of: message, in: bytes), isTooDeep || !message.asks else {
      return toleratesNoise ? counters.noise += 1 : reset(slot)
    }
    refuse(message, isTooDeep ? .tooDeep : .unreadable, in: bytes, from: slot)
  }

  @inline(never)
  private mutating func refuseTooLong(from slot: Int) {
    let head = sessions[slot].framer.takeHead()
    let bytes = JSONText.padded(head)
    guard let message = RefusedMessage(of: 0..<head.count, in: bytes.span, isHead: true) else {
      counters.refusedMessages += 1
      return reset(slot)
    }
    refuse(message, .tooLong, in: bytes.span, from: slot)
  }

  /// It fails alone: the call that it was to answer, or what it asks.
  private mutating func refuse(
    _ message: RefusedMessage, _ fault: Refusal.BadAnswer, in bytes: Span<UInt8>, from slot: Int
  ) {
    if message.asks {
      counters.refusedMessages += 1
      sessions[slot].noteMessage()
      // Of one whose client is given up in this turn nothing that it asked before was answered, either.
      let client = upstreams[sessions[slot].upstream].client
      guard client < 0 || takesMore(client) else { return }
      return refuseAsked(as: message.id, badMessage(fault), in: bytes, from: slot)
    }
    guard let task = task(named: message.id, in: bytes, from: slot) else {
      return counters.droppedUnknown += 1
    }
    counters.refusedMessages += 1
    fail(task, fault, at: slot)
  }

  private mutating func fail(_ task: TaskID, _ fault: Refusal.BadAnswer = .unreadable, at session: Int) {
    noteFailure(session, isReached: true)
    fail(task, .badAnswer(fault))
  }

  /// A task ends without an answer; a notification that was to be delivered is lost.
  mutating func fail(_ task: TaskID, _ reason: Refusal.Reason) {
    noteLoss(task)
    store.failed(task, reason, effects: &effects)
    performEffects()
  }

  /// What nobody wants any more is no loss.
  mutating func noteLoss(_ task: TaskID) {
    if calls[task.slot].isNotification && store.isLive(task) { counters.notificationsLost += 1 }
  }

  /// Garbage: nothing after it can be trusted, so the connection ends.
  private mutating func reset(_ slot: Int) { lose(slot) }

  // MARK: Exchanges

  /// The answer to an exchange. Behind the first `count` bytes, `chunk` holds the scanner's slack.
  package mutating func exchangeAnswered(
    _ task: TaskID, _ chunk: Span<UInt8>, count: Int, over upstream: UpstreamID
  ) {
    let slot = upstream.slot
    counters.bytesFromUpstreams &+= UInt64(count)
    guard isAt(slot, task) else {
      counters.droppedUnknown += 1
      return
    }
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(chunk, 0..<count, upstreamScan, into: &envelope)
    guard case .message = outcome, envelope.isResponse, Self.names(envelope, task, in: chunk) else {
      calls[task.slot].isExchangeOver = true
      if case .tooDeep = outcome { return fail(task, .tooDeep, at: slot) }
      return fail(task, at: slot)
    }
    noteAnswer(slot)
    if isLate {
      // There is nothing left to abort.
      calls[task.slot].isExchangeOver = true
      guard fireOverdue(of: task) else { return counters.droppedUnknown += 1 }
      calls[task.slot].isExchangeOver = false
    }
    finish(task, chunk, AnswerBody(of: envelope))
  }

  /// An error may come without an id, for a server that could not read the request: it is this one's all the same.
  private static func names(_ envelope: Envelope, _ task: TaskID, in bytes: Span<UInt8>) -> Bool {
    if JSONNumber.nonNegativeInteger(envelope.id, in: bytes) == task.rawValue { return true }
    return !envelope.error.isEmpty && bytes.holds("null", in: envelope.id.range)
  }

  /// A notification has arrived: it has ended thereby, wanted or not.
  package mutating func exchangeDelivered(_ task: TaskID, over upstream: UpstreamID) {
    guard isAt(upstream.slot, task) else { return }
    if journal.isOpen { noteAnswer(task, isError: false) }
    forgetCall(task.slot)
    // There is no result.
    store.finished(task, isError: true, effects: &effects)
    performEffects()
  }

  /// An exchange ended without an answer, or a notification was not delivered.
  package mutating func exchangeFailed(
    _ task: TaskID, _ failure: ExchangeFailure, over upstream: UpstreamID
  ) {
    let slot = upstream.slot
    guard isAt(slot, task) else { return }
    // What nobody answers says nothing of who does not, nor does what was not tried.
    let isAwaited = !calls[task.slot].isNotification
    if isAwaited && failure != .untried { noteFailure(slot, isReached: failure.mayBeHeard) }
    calls[task.slot].isExchangeOver = true
    if !failure.mayBeHeard && calls[task.slot].isSent {
      unsend(task.slot)
    }
    fail(task, failure == .tooLong ? .badAnswer(.tooLong) : .upstreamUnavailable)
  }

  /// A message of our own, for which there is no task, did not arrive.
  package mutating func exchangeLost(over upstream: UpstreamID) { counters.notificationsLost += 1 }
}
