import HotData
import JSONRPC
import TaskStore

/// What is written to upstreams.
extension Upstream {
  /// Writes a task to its upstream under our own id, if that takes a line, and there is room for it at once.
  /// - Parameter payloads: what tasks ask.
  /// - Returns: whether it has been written.
  @inline(__always)
  mutating func writeLine(
    _ task: TaskID, _ terms: UpstreamTerms, asking payloads: borrowing PayloadTable, over session: Int
  ) -> Bool {
    let slot = task.slot
    let id = calls[slot].isNotification ? nil : task.rawValue
    return terms.takesPlainLines
      && payloads.withBytes(of: slot) { asked in
        sessions[session].output.write(upTo: MessageWriter.surroundingBytes + asked.count) {
          MessageWriter.requestLine(id, asking: asked, into: &$0)
        }
      }
  }

  /// Writes any request, in any frame.
  mutating func write(
    _ task: TaskID, asking payloads: borrowing PayloadTable, _ traces: borrowing PayloadTable,
    _ request: Request, _ fence: Fence?, over session: Int
  ) {
    let text = text(of: task, request, fence)
    let framing = pools[sessions[session].upstream].options.framing
    if framing == .contentLength {
      var counter = ByteCounter()
      text.write(payloads, traces, into: &counter)
      MessageWriter.openFrame(as: framing, byteCount: counter.byteCount, into: &sessions[session].output)
    }
    text.write(payloads, traces, into: &sessions[session].output)
    MessageWriter.closeFrame(as: framing, into: &sessions[session].output)
  }

  private func text(of task: TaskID, _ request: Request, _ fence: Fence?) -> RequestText {
    let slot = task.slot
    let upstream = calls[slot].upstream
    let passesTask = pools[upstream].options.passesTask
    return RequestText(
      id: calls[slot].isNotification ? nil : task.rawValue, task: task,
      tokens: passedTokens.places(of: task), paramsStart: request.paramsStart,
      remainingMilliseconds: passesTask ? request.remainingMilliseconds(at: nowMilliseconds) : nil,
      fence: pools[upstream].options.passesFence ? fence : nil)
  }

  /// Begins an exchange for a task.
  mutating func begin<Sink: GatewaySink & ~Copyable>(
    _ task: TaskID, asking payloads: borrowing PayloadTable, _ traces: borrowing PayloadTable,
    _ request: Request, _ fence: Fence?, over session: Int, into sink: inout Sink
  ) {
    var message: [UInt8] = []
    text(of: task, request, fence).write(payloads, traces, into: &message)
    counters.bytesToUpstreams &+= UInt64(message.count)
    var traceparent: [UInt8] = []
    traces.copyFirst(of: task.slot, dividedAt: traces.count(of: task.slot), into: &traceparent)
    let exchange = Exchange(
      task: task, isNotification: calls[task.slot].isNotification,
      remainingMilliseconds: request.remainingMilliseconds(at: nowMilliseconds), traceparent: traceparent)
    sink.begin(exchange, over: UpstreamID(slot: session), message)
  }

  /// Undoes a task that succeeded too late, by a request with its params and its result.
  /// - Parameter method: that undoes it.
  mutating func compensate(
    _ undoing: TaskID, by method: [UInt8], asking payloads: borrowing PayloadTable, dividedAt division: Int,
    _ fence: Fence?, _ bytes: Span<UInt8>, _ result: Range<Int>
  ) {
    let slot = undoing.slot
    let options = pools[calls[slot].upstream].options
    let session = calls[slot].session
    calls[slot].progress = .compensating
    counters.compensationsSent += 1
    var message: [UInt8] = []
    MessageWriter.openRequest(undoing.rawValue, into: &message)
    MessageWriter.appendString(method, into: &message)
    message.append(",\"params\":{")
    if division < payloads.count(of: slot) {
      message.append("\"params\":")
      payloads.copySecond(of: slot, dividedAt: division, into: &message)
      message.append(",")
    }
    message.append("\"result\":")
    message.append(bytes, result)
    message.append("}")
    if options.passesFence { fence?.write(into: &message) }
    message.append("}")
    guard options.shape == .connection else {
      return sessions[session].messages.append((undoing, message))
    }
    MessageWriter.message(message.span, as: options.framing, into: &sessions[session].output)
  }

  /// Tells the shell what else is to be said, and what is to be aborted.
  mutating func flushExchanges<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let id = UpstreamID(slot: slot)
    for (task, bytes) in sessions[slot].messages {
      let exchange = Exchange(
        task: task, remainingMilliseconds: configuration.store.compensationMilliseconds, traceparent: [])
      counters.bytesToUpstreams &+= UInt64(bytes.count)
      sink.begin(exchange, over: id, bytes)
    }
    sessions[slot].messages.removeAll(keepingCapacity: true)
    // Behind them: what one of them began may have been given up in the same turn.
    for task in sessions[slot].aborts { sink.abort(task, over: id) }
    sessions[slot].aborts.removeAll(keepingCapacity: true)
  }

  mutating func say(_ cancel: CancelText, over session: Int) {
    let options = pools[sessions[session].upstream].options
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
}
