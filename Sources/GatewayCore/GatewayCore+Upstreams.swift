import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: The connection

  package mutating func upstreamConnected(_ upstream: UpstreamID) {
    counters.upstreamConnections += 1
    upstreams[upstream.index].state = .connected
    sendWaiting(upstream.index)
  }

  /// The connection, or the attempt at one, failed: what it worked on is lost, and is never sent again by itself.
  package mutating func upstreamDisconnected(_ upstream: UpstreamID) {
    let index = upstream.index
    if upstreams[index].state == .connected {
      counters.upstreamDisconnections += 1
      upstreams[index].lostMilliseconds = nowMilliseconds
    }
    rest(index)
    upstreams[index].framer = LineFramer(limitBytes: configuration.messageLimitBytes)
    upstreams[index].output.removeAll()
    while upstreams[index].sent.first != 0 {
      store.failed(task(of: upstreams[index].sent.first), .upstreamUnavailable, effects: &effects)
      performEffects()
    }
  }

  package mutating func upstreamBecameWritable(_ upstream: UpstreamID) { sendWaiting(upstream.index) }

  /// Doubling pauses between attempts, each shortened at random so that gateways do not return in step.
  private mutating func rest(_ index: Int) {
    let doublings = UInt64(min(upstreams[index].attempts, 20))
    let full = min(
      configuration.lastBackOffMilliseconds, configuration.firstBackOffMilliseconds << doublings)
    let pause = full - UInt64.random(in: 0...full / 2, using: &random)
    upstreams[index].attempts += 1
    upstreams[index].state = .resting(untilMilliseconds: nowMilliseconds + pause)
  }

  mutating func flushUpstream<Sink: GatewaySink & ~Copyable>(_ index: Int, into sink: inout Sink) {
    let id = UpstreamID(index: index)
    switch upstreams[index].state {
    case .connecting: return
    case .resting(let until):
      if upstreams[index].mustDisconnect {
        upstreams[index].mustDisconnect = false
        sink.disconnect(id)
      }
      guard until <= nowMilliseconds else { return }
      upstreams[index].state = .connecting
      sink.connect(id)
    case .connected:
      // A write that took everything is followed by no `upstreamBecameWritable`: what waits goes on here.
      repeat {
        unsafe upstreams[index].output.send { chunks in unsafe sink.write(chunks, to: id) }
      } while sendWaiting(index)
    }
  }

  // MARK: Calls that wait for a connection or for room

  /// Returns whether there was anything to send, and room for it.
  @discardableResult
  private mutating func sendWaiting(_ index: Int) -> Bool {
    var hasSent = false
    while upstreams[index].waiting.first != 0, upstreams[index].state == .connected,
      upstreams[index].output.byteCount < upstreams[index].outputSoftBytes
    {
      let task = task(of: upstreams[index].waiting.first)
      upstreams[index].waitingBytes -= payloads.count(of: task.slot)
      callLinks.remove(task.slot, from: &upstreams[index].waiting)
      send(task)
      performEffects()
      hasSent = true
    }
    return hasSent
  }

  private func task(of call: Int) -> TaskID {
    guard let task = store.task(inSlot: call) else { preconditionFailure("a call outlived its task") }
    return task
  }

  func expiryOfWaiting(_ index: Int) -> UInt64? {
    guard upstreams[index].state != .connected, upstreams[index].waiting.first != 0 else { return nil }
    let started = calls[upstreams[index].waiting.first].startedMilliseconds
    return max(started, upstreams[index].lostMilliseconds) + upstreams[index].connectMilliseconds
  }

  /// Fails what has waited too long for a connection.
  mutating func failOverdue(_ index: Int) {
    while let expiry = expiryOfWaiting(index), expiry <= nowMilliseconds {
      store.failed(task(of: upstreams[index].waiting.first), .upstreamUnavailable, effects: &effects)
      performEffects()
    }
  }

  // MARK: Answers

  /// Bytes of an upstream. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func upstreamReceived(_ chunk: Span<UInt8>, count: Int, from upstream: UpstreamID) {
    let index = upstream.index
    var offset = 0
    while upstreams[index].state == .connected {
      switch upstreams[index].framer.next(in: chunk, count: count, from: &offset) {
      case .incomplete:
        return
      case .inPlace(let line):
        handleAnswer(chunk, line, from: index)
      case .assembled:
        let line = upstreams[index].framer.takeAssembled()
        line.withSpan { handleAnswer($0, line.range, from: index) }
        upstreams[index].framer.recycle(line)
      case .tooLong:
        reset(index)
      }
    }
  }

  private mutating func handleAnswer(_ bytes: Span<UInt8>, _ line: Range<Int>, from index: Int) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes, line, into: &envelope)
    // Only one that speaks JSON-RPC has recovered.
    if case .message = outcome { upstreams[index].attempts = 0 }
    switch outcome {
    case .message where envelope.isResponse:
      answer(bytes, envelope, from: index)
    case .message, .batch:
      counters.unsolicited += 1
    case .invalid:
      failCall(named: envelope, in: bytes, from: index)
    case .malformed:
      reset(index)
    }
  }

  private mutating func answer(_ bytes: Span<UInt8>, _ envelope: Envelope, from index: Int) {
    guard let task = task(named: envelope, in: bytes, from: index) else {
      counters.droppedUnknown += 1
      return
    }
    let isError = !envelope.error.isEmpty
    if calls[task.slot].progress == .compensating {
      if isError { counters.compensationsFailed += 1 }
    } else if !store.isLive(task) {
      counters.droppedLate += 1
    }
    // What has to be undone is still needed.
    if isError || !store.owesCompensation(task) { forgetCall(task.slot) }
    store.finished(task, isError: isError, effects: &effects)
    performEffects(bytes, answer: (isError ? envelope.error : envelope.result).range, isError: isError)
  }

  /// The task that an answer names, if it was sent to this upstream and has not ended.
  private func task(named envelope: Envelope, in bytes: Span<UInt8>, from index: Int) -> TaskID? {
    guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes), number < 1 << 31 else {
      return nil
    }
    let task = TaskID(rawValue: UInt32(number))
    guard store.knows(task), calls[task.slot].upstream == index else { return nil }
    switch calls[task.slot].progress {
    case .sent, .cancelSent, .compensating: return task
    case .held, .waiting: return nil
    }
  }

  /// An answer that is JSON but no JSON-RPC: its task fails, the connection is still in step.
  private mutating func failCall(named envelope: Envelope, in bytes: Span<UInt8>, from index: Int) {
    guard !envelope.id.isEmpty, let task = task(named: envelope, in: bytes, from: index) else {
      counters.droppedUnknown += 1
      return
    }
    store.failed(task, .upstreamUnavailable, effects: &effects)
    performEffects()
  }

  /// Garbage: nothing after it can be trusted, so the connection ends.
  private mutating func reset(_ index: Int) {
    upstreams[index].mustDisconnect = true
    upstreamDisconnected(UpstreamID(index: index))
  }
}
