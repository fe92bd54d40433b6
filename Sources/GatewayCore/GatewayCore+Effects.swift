import HotData
import JSONRPC
import TaskStore

/// The result or the error object of an answer, in the bytes that it came in.
struct AnswerBody {
  var range = 0..<0
  var isError = false
  /// Nothing in it could end a line.
  var isFreeOfLineBreaks = false
}

extension AnswerBody {
  @inline(__always)
  init(of envelope: Envelope) {
    isError = !envelope.error.isEmpty
    range = (isError ? envelope.error : envelope.result).range
    isFreeOfLineBreaks = envelope.isFreeOfLineBreaks
  }

  @inline(__always)
  init(of head: AnswerHead) {
    self.init(range: head.body.range, isError: head.isError, isFreeOfLineBreaks: true)
  }
}

extension GatewayCore {
  /// Carries out what the store decided, and what follows from that.
  @inline(never)
  mutating func performEffects() {
    performAll(Span(), AnswerBody())
    effectsHaveEnded(AnswerBody())
  }

  /// The same for what an admission leads to, which mostly is that a task starts.
  @inline(__always)
  mutating func performAdmission() {
    guard effects.count == 1, case .start(let task) = effects[0] else { return performEffects() }
    start(task)
    effects.removeAll()
    effectsHaveEnded(AnswerBody())
  }

  /// The same for what an answer leads to, which nearly always is delivered to one caller first.
  /// - Parameter answer: in `bytes`.
  @inline(__always)
  mutating func performAnswer(_ bytes: Span<UInt8>, _ answer: AnswerBody) {
    if effects.count > 0, case .deliver(let waiter) = effects[0] {
      deliver(waiter, bytes, answer)
      performAll(bytes, answer, from: 1)
    } else {
      performAll(bytes, answer)
    }
    effectsHaveEnded(answer)
  }

  @inline(__always)
  private mutating func effectsHaveEnded(_ answer: AnswerBody) {
    if answer.range.count >= configuration.sharedAnswerBytes { forgetSharedAnswer() }
    if !settled.isEmpty || !doomed.isEmpty { settle() }
  }

  /// Tells the store what ended while its effects were carried out, until nothing more comes of it.
  @inline(never)
  private mutating func settle() {
    while true {
      if let task = settled.popLast() {
        forgetCall(task.slot)
        store.finished(task, isError: true, effects: &effects)
      } else if let task = doomed.popLast() {
        noteLoss(task)
        store.failed(task, isShutDown ? .shuttingDown : .upstreamUnavailable, effects: &effects)
      } else {
        return
      }
      hasSettled = true
      performAll(Span(), AnswerBody())
    }
  }

  @inline(__always)
  private mutating func performAll(_ bytes: Span<UInt8>, _ answer: AnswerBody, from first: Int32 = 0) {
    var index = first
    while index < effects.count {
      perform(effects[index], bytes, answer)
      index &+= 1
    }
    effects.removeAll()
  }

  @inline(__always)
  private mutating func perform(_ effect: TaskEffect, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    switch effect {
    case .refuse(let waiter, let refusal): refuse(waiter, refusal)
    case .cancel(let task): cancel(task)
    case .drop(let task): drop(task)
    case .compensate(_, as: let undoing): compensate(undoing, bytes, answer.range)
    case .deliver(let waiter): deliverApart(waiter, bytes, answer)
    case .start(let task): start(task)
    case .retire(let key): keys.release(key.slot)
    }
  }

  // MARK: Towards the client

  /// The commit point: what is appended here is the caller's, and is never withdrawn.
  @inline(__always)
  private mutating func deliver(_ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    share.spend(messages: 1)
    if answer.isError { counters.failed += 1 } else { counters.delivered += 1 }
    let sender = callers[waiter].sender
    if !isWritten(answer, bytes, to: callers[waiter].shortID, of: sender) {
      self.answer(callers.id(of: waiter), answer, in: bytes, to: sender)
    }
    forgetCaller(waiter)
  }

  /// The same, where it is one of several effects.
  @inline(never)
  private mutating func deliverApart(_ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    deliver(waiter, bytes, answer)
  }

  private mutating func refuse(_ waiter: WaiterID, _ refusal: Refusal) {
    share.spend(messages: 1)
    count(refusal.reason)
    keyScratch.removeAll(keepingCapacity: true)
    if let key = refusal.key { keys.copyBytes(of: key.slot, into: &keyScratch) }
    let slot = refusal.task.slot
    let effect = UpstreamEffect(refusal, isSent: calls[slot].isSent, isTold: isToldAndStops(slot))
    let data = ErrorData(refusal, key: keyScratch, effect)
    let sender = callers[waiter].sender
    noteSpared(refusal)
    let error = error(refusal.reason, to: sender)
    if journal.isOpen { noteRefusal(refusal, effect, error, of: sender.client) }
    self.answer(callers.id(of: waiter), error, data: data, to: sender)
    forgetCaller(waiter)
  }

  private func error(_ reason: Refusal.Reason, to sender: Sender) -> RPCError {
    if case .superseded = reason, clients[sender.client].listener.hidesSupersession {
      return RPCError(code: RPCError.contentModified.code, message: RPCError.superseded.message)
    }
    if case .badAnswer(let fault) = reason { return badAnswer(fault) }
    return reason.error
  }

  private func badAnswer(_ fault: Refusal.BadAnswer) -> RPCError {
    guard fault != .unreadable else { return .badAnswer }
    return .badAnswer.with(message: "upstream's answer is \(excess(fault))")
  }

  /// What an upstream hears of what it asks.
  func badMessage(_ fault: Refusal.BadAnswer) -> RPCError {
    let error = fault == .tooLong ? RPCError.tooLarge : .parseError
    return error.with(message: "\(error.message): \(excess(fault))")
  }

  private func excess(_ fault: Refusal.BadAnswer) -> String {
    fault == .tooLong
      ? "longer than messageBytes (\(configuration.messageLimitBytes))"
      : "nested deeper than nestingLevels (\(upstreamScan.nestingLevels))"
  }

  private mutating func count(_ reason: Refusal.Reason) {
    switch reason {
    case .superseded, .contentModified: counters.superseded += 1
    case .cancelled: counters.cancelled += 1
    case .deadlineExceeded: counters.expired += 1
    case .upstreamUnavailable, .badAnswer, .shuttingDown: counters.failed += 1
    }
  }
}
