import HotData
import JSONRPC
import TaskStore

extension OutputQueue: ByteSink {}

extension GatewayCore {
  /// Carries out what the store decided, and what follows from that.
  /// - Parameter answer: the result or error object in `bytes`, if the event was an answer.
  mutating func performEffects(
    _ bytes: Span<UInt8> = Span(), answer: Range<Int> = 0..<0, isError: Bool = false
  ) {
    performAll(bytes, answer: answer, isError: isError)
    while let task = settled.popLast() {
      forgetCall(task.slot)
      store.finished(task, isError: true, effects: &effects)
      performAll(Span(), answer: 0..<0, isError: false)
    }
  }

  private mutating func performAll(_ bytes: Span<UInt8>, answer: Range<Int>, isError: Bool) {
    for index in effects.indices { perform(effects[index], bytes, answer: answer, isError: isError) }
    effects.removeAll(keepingCapacity: true)
  }

  private mutating func perform(
    _ effect: TaskEffect, _ bytes: Span<UInt8>, answer: Range<Int>, isError: Bool
  ) {
    switch effect {
    case .refuse(let waiter, let refusal): refuse(waiter, refusal)
    case .cancel(let task): cancel(task)
    case .drop(let task): drop(task)
    case .compensate(_, as: let undoing): compensate(undoing, bytes, answer)
    case .deliver(let waiter): deliver(waiter, bytes, answer, isError: isError)
    case .start(let task): start(task)
    case .retire(let key): keys.release(key.slot)
    }
  }

  // MARK: Towards the client

  /// The commit point: what is appended here is the caller's, and is never withdrawn.
  private mutating func deliver(
    _ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: Range<Int>, isError: Bool
  ) {
    if isError { counters.failed += 1 } else { counters.delivered += 1 }
    let caller = callers[waiter]
    self.answer(caller.id, isError: isError, bytes, answer, to: caller.sender)
    forgetCaller(waiter)
  }

  private mutating func refuse(_ waiter: WaiterID, _ refusal: Refusal) {
    count(refusal.reason)
    keyScratch.removeAll(keepingCapacity: true)
    if let key = refusal.key { keys.copyBytes(of: key.slot, into: &keyScratch) }
    let data = ErrorData(
      refusal, key: keyScratch, isSent: isSent(refusal.task),
      cancel: upstreams[calls[refusal.task.slot].upstream].cancel)
    let caller = callers[waiter]
    self.answer(caller.id, error(refusal.reason, to: caller.sender), data: data, to: caller.sender)
    forgetCaller(waiter)
  }

  private func error(_ reason: Refusal.Reason, to sender: Sender) -> RPCError {
    if case .superseded = reason, clients[sender.client].listener.hidesSupersession {
      return RPCError(code: RPCError.cancelled.code, message: RPCError.superseded.message)
    }
    return reason.error
  }

  private func isSent(_ task: TaskID) -> Bool {
    calls[task.slot].progress == .sent || calls[task.slot].progress == .cancelSent
  }

  private mutating func count(_ reason: Refusal.Reason) {
    switch reason {
    case .superseded: counters.superseded += 1
    case .cancelled: counters.cancelled += 1
    case .deadlineExceeded: counters.expired += 1
    case .upstreamUnavailable, .shuttingDown: counters.failed += 1
    }
  }

  // MARK: Towards upstream

  private mutating func start(_ task: TaskID) {
    let upstream = calls[task.slot].upstream
    calls[task.slot].startedMilliseconds = nowMilliseconds
    let hasRoom = upstreams[upstream].output.byteCount < upstreams[upstream].outputSoftBytes
    if upstreams[upstream].state == .connected, hasRoom, upstreams[upstream].waiting.isEmpty {
      send(task)
    } else {
      calls[task.slot].progress = .waiting
      upstreams[upstream].waitingBytes += payloads.count(of: task.slot)
      callLinks.append(task.slot, to: &upstreams[upstream].waiting)
    }
  }

  /// Writes a task to its upstream under our own id; a notification has thereby ended.
  mutating func send(_ task: TaskID) {
    let slot = task.slot
    let (upstream, division, end) = (calls[slot].upstream, calls[slot].methodBytes, payloads.count(of: slot))
    let isNotification = calls[slot].isNotification
    MessageWriter.openRequest(isNotification ? nil : task.rawValue, into: &upstreams[upstream].output)
    upstreams[upstream].output.append(0..<division, ofPayload: slot, in: payloads)
    if division < end {
      upstreams[upstream].output.append(",\"params\":")
      upstreams[upstream].output.append(division..<end, ofPayload: slot, in: payloads)
    }
    upstreams[upstream].output.append("}\n")
    counters.sentUpstream += 1
    calls[slot].progress = .sent
    callLinks.append(slot, to: &upstreams[upstream].sent)
    if isNotification { settled.append(task) }
    // Nobody can join a task in no lane: what it asked need not be kept, unless it may have to be undone.
    if !calls[slot].isKeyed && calls[slot].compensation < 0 { payloads.forget(slot) }
  }

  /// Nobody wants this task any more: upstream is told, in its dialect, unless it never heard of it.
  private mutating func cancel(_ task: TaskID) {
    let slot = task.slot
    let upstream = calls[slot].upstream
    guard calls[slot].progress == .sent else {
      // Still here: it has ended. A task that ends on its cancel is dropped by the store itself.
      if store.knows(task) { settled.append(task) }
      return
    }
    calls[slot].progress = .cancelSent
    switch upstreams[upstream].cancel {
    case .lsp: MessageWriter.cancelRequest(task.rawValue, into: &upstreams[upstream].output)
    case .mcp: MessageWriter.cancelledNotification(task.rawValue, into: &upstreams[upstream].output)
    case .none: return
    }
    counters.cancelsSent += 1
  }

  /// A task that succeeded too late is undone: what it asked, and what came of it, are the params.
  private mutating func compensate(_ undoing: TaskID, _ bytes: Span<UInt8>, _ result: Range<Int>) {
    let slot = undoing.slot
    let (upstream, division, end) = (calls[slot].upstream, calls[slot].methodBytes, payloads.count(of: slot))
    calls[slot].progress = .compensating
    counters.compensationsSent += 1
    MessageWriter.openRequest(undoing.rawValue, into: &upstreams[upstream].output)
    MessageWriter.appendString(
      router.compensations[calls[slot].compensation], into: &upstreams[upstream].output)
    upstreams[upstream].output.append(",\"params\":{")
    if division < end {
      upstreams[upstream].output.append("\"params\":")
      upstreams[upstream].output.append(division..<end, ofPayload: slot, in: payloads)
      upstreams[upstream].output.append(",")
    }
    upstreams[upstream].output.append("\"result\":")
    upstreams[upstream].output.appendAsLine(bytes, result)
    upstreams[upstream].output.append("}}\n")
  }

  /// Nothing will come of this task any more; of an undoing that was not answered nobody knows.
  private mutating func drop(_ task: TaskID) {
    if calls[task.slot].progress == .compensating { counters.compensationsFailed += 1 }
    forgetCall(task.slot)
  }

  /// Forgets what there was to know of a task, wherever it is; nothing if that has happened before.
  mutating func forgetCall(_ slot: Int) {
    let upstream = calls[slot].upstream
    switch calls[slot].progress {
    case .held:
      break
    case .waiting:
      upstreams[upstream].waitingBytes -= payloads.count(of: slot)
      callLinks.remove(slot, from: &upstreams[upstream].waiting)
    case .sent, .cancelSent, .compensating:
      callLinks.remove(slot, from: &upstreams[upstream].sent)
    }
    calls[slot] = Call()
    payloads.forget(slot)
  }
}
