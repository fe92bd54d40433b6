import GatewayCore
import JSONRPC

/// What upstreams hear.
extension World {
  mutating func listen(toLink link: Int) {
    let slot = links[link].slot
    if !network.pipes[slot].exchanges.isEmpty { listenToExchanges(link) }
    guard !network.pipes[slot].bytes.isEmpty, let framing = upstream(of: link).framing else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &network.pipes[slot].bytes)
    var start = 0
    let end = bytes.count
    bytes.append(contentsOf: repeatElement(0xff, count: Self.slackBytes))
    while let message = message(from: start, in: bytes[..<end], framing) {
      log.add(bytes[start..<message.end])
      hears(message.body, in: bytes, over: link)
      start = message.end
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.pipes[slot].bytes)
  }

  private mutating func hears(_ message: Range<Int>, in bytes: [UInt8], over link: Int) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes.span, message, into: &envelope)
    guard case .message = outcome else {
      return oracle.complain("upstream was sent what is no message: \(oracle.text(bytes[message]))")
    }
    if envelope.isResponse { return oracle.sawAnswer(bytes[message], at: link) }
    hears(envelope, in: bytes, over: link)
  }

  /// - Parameter exchange: of a notification that has one of its own.
  mutating func hears(
    _ envelope: Envelope, in bytes: [UInt8], over link: Int, exchange: UInt64? = nil
  ) {
    if envelope.isNotification, hearsCancel(envelope, in: bytes, over: link) { return }
    expectMayStart(over: link)
    if method(envelope, in: bytes, is: Spelling.undoing) {
      return hearsUndoing(envelope, in: bytes, over: link)
    }
    guard let ask = ask(envelope, in: bytes), ask < oracle.asks.count else {
      return oracle.complain(
        "upstream was asked what nobody asked: \(oracle.text(bytes[envelope.method.range]))")
    }
    checkAsk(ask, envelope, in: bytes, over: link)
    oracle.asks[ask].occurrences += 1
    guard !envelope.isNotification else {
      let number =
        exchange.map { hearsNotification($0, ask: ask, over: link) }
        ?? oracle.sawNotification(ask: ask, at: link, &core, clients)
      return checkTask(envelope.task, of: number, in: bytes, over: link)
    }
    guard let id = id(envelope, in: bytes) else { return }
    let task = oracle.sawCall(id, ask: ask, at: link, &core, clients)
    let creator = oracle.tasks[task].creator
    checkTask(envelope.task, of: creator == 0 ? nil : creator, in: bytes, over: link)
    let name = CallName(ask: ask, occurrence: oracle.asks[ask].occurrences)
    links[link].calls.append(SimulatedLink.Call(name: name, id: Int(id), task: task))
  }

  /// Once everything has been given up nothing starts; what was written before may still be on its way.
  private func expectMayStart(over link: Int) {
    guard oracle.isShutDown, !oracle.links[link].isBacklogged else { return }
    oracle.complain("something was sent over link \(link) after the gateway had given everything up")
  }

  /// Returns the request that it was, if that is known.
  private mutating func hearsNotification(_ id: UInt64, ask: Int, over link: Int) -> Int? {
    let task = oracle.sawNotification(id, ask: ask, at: link, &core, clients)
    let name = CallName(ask: ask, occurrence: oracle.asks[ask].occurrences)
    links[link].calls.append(
      SimulatedLink.Call(name: name, id: Int(id), task: task, isNotification: true))
    let creator = oracle.tasks[task].creator
    return creator == 0 ? nil : creator
  }

  private func method(_ envelope: Envelope, in bytes: [UInt8], is name: StaticString) -> Bool {
    JSONString.equals(envelope.method, in: bytes.span, name)
  }

  /// What is asked: the number in the method, or, where the method has none, in the params.
  private func ask(_ envelope: Envelope, in bytes: [UInt8]) -> Int? {
    let isPlain =
      method(envelope, in: bytes, is: Spelling.undoable) || method(envelope, in: bytes, is: Spelling.state)
    return isPlain
      ? [UInt8].firstNumber(in: bytes[envelope.params.range])
      : [UInt8].lastNumber(in: bytes[envelope.method.range])
  }

  private func id(_ envelope: Envelope, in bytes: [UInt8]) -> UInt64? {
    // No history has so many tasks at once that any id would be long.
    if let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes.span), id < 1 << 31 { return id }
    oracle.complain("upstream was sent an id that is none of ours")
    return nil
  }

  // MARK: What is asked

  /// Where messages are lines, what ends lines is replaced.
  private func params(_ ask: Int, over link: Int) -> Template {
    let form = Int(oracle.asks[ask].form)
    return upstream(of: link).framing == .lines ? Spelling.flatParams[form] : Spelling.asks[form].params
  }

  private mutating func checkAsk(_ ask: Int, _ envelope: Envelope, in bytes: [UInt8], over link: Int) {
    let method = Spelling.asks[Int(oracle.asks[ask].form)].method
    let isSame =
      method.matches(ask, bytes[envelope.method.range])
      && hasParams(of: ask, envelope, in: bytes, over: link)
    oracle.expectAskUnchanged(ask, isSame)
  }

  /// They are the client's, but for tokens at an upstream that clients share.
  private func hasParams(of ask: Int, _ envelope: Envelope, in bytes: [UInt8], over link: Int) -> Bool {
    let found = bytes[envelope.params.range]
    guard upstream(of: link).passesProgress, let passed = Spelling.asks[Int(oracle.asks[ask].form)].passed
    else { return params(ask, over: link).matches(ask, found) }
    return passed.matches(ask, found, id: envelope.isNotification ? nil : bytes[envelope.id.range])
  }

  /// Another lastword hears what is left of the caller's time, and the trace.
  private mutating func checkTask(
    _ task: ByteRange, of number: Int?, in bytes: [UInt8], over link: Int
  ) {
    guard upstream(of: link).passesTask else {
      return oracle.expect(task.isEmpty, "link \(link) was sent a task that it knows nothing of")
    }
    var members = ObjectReader(task)
    var (left, trace): (Int?, ArraySlice<UInt8>?)
    while let member = members.next(in: bytes.span) {
      if member.isNamed("timeoutMs", in: bytes.span) {
        left = JSONNumber.nonNegativeInteger(member.value, in: bytes.span).map { Int(clamping: $0) }
      } else {
        trace = bytes[member.value.range].dropFirst().dropLast()
      }
    }
    guard let left else { return oracle.complain("link \(link) did not hear how much time is left") }
    oracle.coverage.count(.passedTask)
    if let number { oracle.checkTask(of: number, leftMilliseconds: left, trace: trace ?? [], at: link) }
  }

  // MARK: Undoing

  /// Upstream is to undo what an earlier answer of its own says.
  private mutating func hearsUndoing(_ envelope: Envelope, in bytes: [UInt8], over link: Int) {
    guard let id = id(envelope, in: bytes), let answer = answerToUndo(envelope, in: bytes, over: link) else {
      return
    }
    let task = oracle.sawUndoing(id, of: answer, at: link, &core, clients)
    let undone = ask(ofAnswer: answer)
    oracle.asks[undone].undoings += 1
    let name = CallName(ask: -undone, occurrence: oracle.asks[undone].undoings)
    links[link].calls.append(SimulatedLink.Call(name: name, id: Int(id), task: task))
  }

  private func ask(ofAnswer answer: Int) -> Int { oracle.answers[answer].ask }

  /// The params are what was asked and what came of it, byte for byte.
  private mutating func answerToUndo(_ envelope: Envelope, in bytes: [UInt8], over link: Int) -> Int? {
    var members = ObjectReader(envelope.params)
    var answer = 0
    while let member = members.next(in: bytes.span) {
      if member.isNamed("result", in: bytes.span) {
        answer = [UInt8].firstNumber(in: bytes[member.value.range]) ?? 0
      }
    }
    guard answer > 0, answer < oracle.answers.count else {
      oracle.complain("upstream is to undo what it never did: \(oracle.text(bytes[envelope.params.range]))")
      return nil
    }
    line.removeAll(keepingCapacity: true)
    line.append(#"{"params":"#)
    params(ask(ofAnswer: answer), over: link).append(ask(ofAnswer: answer), to: &line)
    line.append(#","result":"#)
    Spelling.results[oracle.answers[answer].form].append(answer, to: &line)
    line.append("}")
    let isSame = line.elementsEqual(bytes[envelope.params.range])
    oracle.expectUndoingUnchanged(isSame)
    return answer
  }
}
