import HotData
import JSONRPC
package import TaskStore

/// Messages from upstreams: their bytes, in shares, and what each message leads to.
extension GatewayCore {
  // MARK: Bytes

  /// The upstream whose held input is handled next.
  package var nextUpstreamInTurn: UpstreamID? { upstreams.nextInTurn.map { UpstreamID(slot: $0) } }

  /// Bytes of an upstream. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func upstreamReceived(_ chunk: Span<UInt8>, count: Int, from upstream: UpstreamID) {
    let slot = upstream.slot
    guard !upstreams.isHeld(slot) else { return putOff(chunk, count: count, from: upstream) }
    upstreams.counters.bytesFromUpstreams &+= UInt64(count)
    share = TurnShare(messages: configuration.turnAnswers)
    var offset = 0
    readAnswers(chunk, count: count, from: slot, at: &offset)
    if share.isSpent && offset < count { upstreams.hold(chunk, offset..<count, ofUpstream: slot) }
    upstreams.noteInput(ofUpstream: slot)
  }

  /// Bytes of an upstream that there is no time for in this turn: they wait behind those of all others.
  package mutating func putOff(_ chunk: Span<UInt8>, count: Int, from upstream: UpstreamID) {
    upstreams.putOff(chunk, count: count, from: upstream.slot)
  }

  /// Handles one more share of what has come of the upstream whose turn it is.
  package mutating func goOnWithAnswers() {
    if let slot = upstreams.nextInTurn { goOn(withAnswersOf: slot) }
  }

  private mutating func goOn(withAnswersOf slot: Int) {
    guard let input = upstreams.held(ofUpstream: slot) else { return }
    share = TurnShare(messages: configuration.turnAnswers)
    let bytes = input.bytes
    var offset = input.offset
    readAnswers(bytes.span, count: input.byteCount, from: slot, at: &offset)
    upstreams.endTurn(of: slot, input, at: offset)
  }

  /// Its connection ends: what came before counts still.
  mutating func handleHeld(ofUpstream slot: Int) {
    // It may have ended it itself.
    while upstreams.isConnected(slot) && upstreams.isHeld(slot) { goOn(withAnswersOf: slot) }
  }

  /// Handles messages of an upstream until there is no more of them, or its share is spent.
  private mutating func readAnswers(
    _ chunk: Span<UInt8>, count: Int, from slot: Int, at offset: inout Int
  ) {
    let isNoisy = upstreams.mayBeNoisy(slot)
    let noise = isNoisy ? upstreams.noiseCount(of: slot) : 0
    var envelope = Envelope()
    while upstreams.isConnected(slot) && !share.isSpent {
      share.spend(messages: 1)
      switch upstreams.nextFrame(in: chunk, count: count, from: &offset, of: slot) {
      case .incomplete:
        upstreams.checkPart(from: slot)
        if isNoisy { upstreams.countNoise(of: slot, since: noise) }
        return
      case .inPlace(let message):
        handleMessage(chunk, message, from: slot, into: &envelope)
        // Nothing has begun that would have to be checked, and noise ends in no message.
        if offset == count && !isNoisy { return }
      case .assembled: handleAssembled(from: slot)
      case .tooLong: rejectTooLong(from: slot)
      case .badHeader: giveUp(slot)
      }
    }
    if isNoisy && upstreams.isConnected(slot) { upstreams.countNoise(of: slot, since: noise) }
  }

  @inline(never)
  private mutating func handleAssembled(from slot: Int) {
    let message = upstreams.takeAssembled(of: slot)
    workBytes += message.range.count
    var envelope = Envelope()
    message.withSpan { handleMessage($0, message.range, message.verdict, from: slot, into: &envelope) }
    upstreams.recycle(message, of: slot)
  }

  // MARK: Messages

  /// - Parameter verdict: on one that was checked while it came.
  @inline(__always)
  private mutating func handleMessage(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ verdict: JSONCheck.Verdict? = nil, from slot: Int,
    into envelope: inout Envelope
  ) {
    if upstreams.trustsAnswers(slot) && isTakenByHead(bytes, message, from: slot) { return }
    let outcome = upstreams.scan(bytes, message, verdict, into: &envelope)
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
      upstreams.noteMessage(slot)
      upstreamAsked(bytes, envelope, from: slot)
    case .batch: upstreams.counters.unsolicited += 1
    case .invalid(let fault): rejectInvalid(message, fault, envelope, in: bytes, from: slot)
    case .malformed: rejectMalformed(bytes, message, isTooDeep: false, from: slot)
    case .tooDeep: rejectMalformed(bytes, message, isTooDeep: true, from: slot)
    }
  }

  @inline(__always)
  private mutating func handleAnswer(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) {
    guard let task = task(named: envelope.id, in: bytes, from: slot) else {
      return upstreams.dropUnknown(at: slot)
    }
    upstreams.noteAnswer(slot)
    finish(task, bytes, AnswerBody(of: envelope))
  }

  @inline(__always)
  private mutating func finish(_ task: TaskID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    if isLate, !fireOverdue(of: task) { return upstreams.counters.droppedUnknown += 1 }
    let isError = answer.isError
    if upstreams.isWanted(task.slot) {
      upstreams.noteTimes(task.slot, admitted: lanes.requests[task.slot].admitted)
      if lanes.journal.isOpen { noteAnswer(task, isError: isError) }
      forgetCall(task.slot)
    } else {
      upstreams.noteLateAnswer(task.slot, isError: isError)
      // What has to be undone is still needed.
      let isOver = isError || !lanes.mayBeUndone(task) || !lanes.owesCompensation(task)
      if lanes.journal.isOpen && isOver { noteAnswer(task, isError: isError) }
      if isOver { upstreams.noteOver(task.slot) }
    }
    lanes.finish(task, isError: isError)
    performAnswer(bytes, answer)
  }

  /// The task that an answer names, if it was sent over this connection and has not ended.
  @inline(__always)
  func task(named id: ByteRange, in bytes: Span<UInt8>, from slot: Int) -> TaskID? {
    guard let number = JSONNumber.nonNegativeInteger(id, in: bytes),
      let task = TaskID(exactly: number)
    else { return nil }
    return isAt(slot, task) ? task : nil
  }

  @inline(__always)
  private func isAt(_ session: Int, _ task: TaskID) -> Bool {
    lanes.knows(task) && upstreams.isAt(session, task.slot)
  }

  /// Takes an answer of a trusted upstream without reading what it holds; false when it has to be read, as any message
  /// that does not begin as nearly all answers do.
  @inline(never)
  private mutating func isTakenByHead(
    _ bytes: Span<UInt8>, _ message: Range<Int>, from slot: Int
  ) -> Bool {
    guard let head = AnswerHead(of: message, in: bytes) else { return false }
    guard let task = task(named: head.id, in: bytes, from: slot) else {
      upstreams.dropUnknown(at: slot)
      return true
    }
    // What goes into a text beside others' must not spoil it.
    guard !lanes.mayBeUndone(task), !lanes.isBatched(task) else { return false }
    upstreams.noteAnswer(slot)
    finish(task, bytes, AnswerBody(of: head))
    return true
  }

  // MARK: Failures

  /// JSON but no JSON-RPC: it asks, or fails the call that it names.
  private mutating func rejectInvalid(
    _ message: Range<Int>, _ fault: EnvelopeFault, _ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int
  ) {
    if !envelope.isBadResponse, fault != .noMethod,
      let question = RefusedMessage(of: message, in: bytes, idBytes: .max), question.asks
    {
      return rejectQuestion(question.id, fault.error, in: bytes, from: slot)
    }
    failCall(named: envelope, in: bytes, from: slot)
  }

  /// An answer that is JSON but no JSON-RPC: its task fails, the connection is still in step.
  private mutating func failCall(named envelope: Envelope, in bytes: Span<UInt8>, from slot: Int) {
    guard !envelope.id.isEmpty, let task = task(named: envelope.id, in: bytes, from: slot) else {
      upstreams.counters.droppedUnknown += 1
      return
    }
    fail(task, at: slot)
  }

  /// A message that is no JSON, nested too deep or too long may still name the call that it answers, or ask something:
  /// then nobody waits for that any more. If it names nothing, a message that is no JSON is noise, or ends the
  /// connection.
  private mutating func rejectMalformed(
    _ bytes: Span<UInt8>, _ message: Range<Int>, isTooDeep: Bool, from slot: Int
  ) {
    let toleratesNoise = upstreams.toleratesNoise(slot)
    // Only where nothing else is wrong the messages behind it are surely messages.
    guard isTooDeep || toleratesNoise else { return giveUp(slot) }
    guard let message = RefusedMessage(of: message, in: bytes), isTooDeep || !message.asks else {
      return toleratesNoise ? upstreams.counters.noise += 1 : giveUp(slot)
    }
    rejectNamed(message, isTooDeep ? .tooDeep : .unreadable, in: bytes, from: slot)
  }

  @inline(never)
  private mutating func rejectTooLong(from slot: Int) {
    let head = upstreams.takeHead(of: slot)
    let bytes = JSONText.padded(head)
    guard let message = RefusedMessage(of: 0..<head.count, in: bytes.span, isHead: true) else {
      return giveUp(slot)
    }
    rejectNamed(message, .tooLong, in: bytes.span, from: slot)
  }

  /// What came over a connection leaves nothing to go on with: it is closed.
  private mutating func giveUp(_ slot: Int) {
    upstreams.noteRefusedMessage(from: slot)
    lose(slot)
  }

  /// It fails alone: the call that it was to answer, or what it asks.
  private mutating func rejectNamed(
    _ message: RefusedMessage, _ fault: Refusal.BadAnswer, in bytes: Span<UInt8>, from slot: Int
  ) {
    if message.asks { return rejectQuestion(message.id, edge.badMessage(fault), in: bytes, from: slot) }
    guard let task = task(named: message.id, in: bytes, from: slot) else {
      return upstreams.counters.droppedUnknown += 1
    }
    upstreams.noteRefusedMessage(from: slot)
    fail(task, fault, at: slot)
  }

  /// - Parameter id: empty: it is a notification, and nobody hears of it.
  private mutating func rejectQuestion(
    _ id: ByteRange, _ error: RPCError, in bytes: Span<UInt8>, from slot: Int
  ) {
    upstreams.noteRefusedMessage(from: slot)
    upstreams.noteMessage(slot)
    // Of one whose client is given up in this turn nothing that it asked before was answered, either.
    let client = upstreams.client(ofSession: slot)
    guard client < 0 || edge.takesMore(client) else { return }
    upstreams.refuseAsked(as: id, error, in: bytes, from: slot)
  }

  private mutating func fail(_ task: TaskID, _ fault: Refusal.BadAnswer = .unreadable, at session: Int) {
    upstreams.noteFailure(session, isReached: true)
    fail(task, .badAnswer(fault))
  }

  // MARK: Exchanges

  /// The answer to an exchange. Behind the first `count` bytes, `chunk` holds the scanner's slack.
  /// - Returns: false, if it is the answer to another request.
  @discardableResult
  package mutating func exchangeAnswered(
    _ task: TaskID, _ chunk: Span<UInt8>, count: Int, over upstream: UpstreamID
  ) -> Bool {
    let slot = upstream.slot
    upstreams.counters.bytesFromUpstreams &+= UInt64(count)
    guard isAt(slot, task) else {
      upstreams.counters.droppedUnknown += 1
      return true
    }
    var envelope = Envelope()
    let outcome = upstreams.scan(chunk, 0..<count, nil, into: &envelope)
    let isOwn = Exchange.isAnswer(envelope, to: task, in: chunk)
    guard case .message = outcome, envelope.isResponse, isOwn else {
      upstreams.noteExchangeOver(task.slot)
      switch outcome {
      case .tooDeep: fail(task, .tooDeep, at: slot)
      default: fail(task, at: slot)
      }
      if case .message = outcome, envelope.isResponse { return isOwn }
      return true
    }
    upstreams.noteAnswer(slot)
    if isLate {
      // There is nothing left to abort.
      upstreams.noteExchangeOver(task.slot)
      guard fireOverdue(of: task) else {
        upstreams.counters.droppedUnknown += 1
        return true
      }
      upstreams.noteExchangeOver(task.slot, false)
    }
    finish(task, chunk, AnswerBody(of: envelope))
    return true
  }

  /// A notification has arrived: it has ended thereby, wanted or not.
  package mutating func exchangeDelivered(_ task: TaskID, over upstream: UpstreamID) {
    guard isAt(upstream.slot, task) else { return }
    if lanes.journal.isOpen { noteAnswer(task, isError: false) }
    if lanes.isLive(task) { forgetCall(task.slot) } else { upstreams.noteOver(task.slot) }
    // There is no result.
    lanes.finish(task, isError: true)
    performEffects()
  }

  /// An exchange ended without an answer, or a notification was not delivered.
  package mutating func exchangeFailed(
    _ task: TaskID, _ failure: ExchangeFailure, over upstream: UpstreamID
  ) {
    guard isAt(upstream.slot, task) else { return }
    upstreams.exchangeFailed(task.slot, failure, over: upstream.slot)
    fail(task, failure == .tooLong ? .badAnswer(.tooLong) : .upstreamUnavailable)
  }

  /// A message of our own, for which there is no task, did not arrive.
  package mutating func exchangeLost(over upstream: UpstreamID) { upstreams.counters.notificationsLost += 1 }
}
