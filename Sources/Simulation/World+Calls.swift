import GatewayCore
import JSONRPC

/// What upstreams hear.
extension World {
  mutating func listen(toUpstream index: Int) {
    guard !network.pipes[index].bytes.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &network.pipes[index].bytes)
    var start = 0
    let end = bytes.count
    bytes.append(contentsOf: repeatElement(0xff, count: Self.slackBytes))
    while let lineEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
      log.add(bytes[start...lineEnd])
      hears(start..<lineEnd, in: bytes, upstream: index)
      start = lineEnd + 1
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.pipes[index].bytes)
  }

  private mutating func hears(_ line: Range<Int>, in bytes: [UInt8], upstream index: Int) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes.span, line, into: &envelope)
    guard case .message = outcome, !envelope.isResponse else {
      return oracle.complain("upstream was sent what is no request: \(oracle.text(bytes[line]))")
    }
    if envelope.isNotification, hearsCancel(envelope, in: bytes, upstream: index) { return }
    if method(envelope, in: bytes, is: Spelling.undoing) {
      return hearsUndoing(envelope, in: bytes, upstream: index)
    }
    guard let ask = ask(envelope, in: bytes), ask < oracle.asks.count else {
      return oracle.complain("upstream was asked what nobody asked: \(oracle.text(bytes[line]))")
    }
    checkAsk(ask, envelope, in: bytes)
    oracle.asks[ask].occurrences += 1
    if envelope.isNotification { return oracle.sawNotification(ask: ask, at: index) }
    guard let id = id(envelope, in: bytes) else { return }
    let task = oracle.sawCall(id, ask: ask, at: index, &core, clients)
    let name = CallName(ask: ask, occurrence: oracle.asks[ask].occurrences)
    upstreams[index].calls.append(SimulatedUpstream.Call(name: name, id: Int(id), task: task))
  }

  private func method(_ envelope: Envelope, in bytes: [UInt8], is name: StaticString) -> Bool {
    JSONString.equals(envelope.method, in: bytes.span, name)
  }

  /// What is asked: the number in the method, or, where the method has none, in the params.
  private func ask(_ envelope: Envelope, in bytes: [UInt8]) -> Int? {
    let isPlain = method(envelope, in: bytes, is: Spelling.undoable)
    return isPlain
      ? [UInt8].firstNumber(in: bytes[envelope.params.range])
      : [UInt8].lastNumber(in: bytes[envelope.method.range])
  }

  private func id(_ envelope: Envelope, in bytes: [UInt8]) -> UInt32? {
    if let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes.span), id < 1 << 31 { return UInt32(id) }
    oracle.complain("upstream was sent an id that is none of ours")
    return nil
  }

  /// Upstream is to undo what an earlier answer of its own says.
  private mutating func hearsUndoing(_ envelope: Envelope, in bytes: [UInt8], upstream index: Int) {
    guard let id = id(envelope, in: bytes), let answer = answerToUndo(envelope, in: bytes) else { return }
    let task = oracle.sawUndoing(id, of: answer, at: index, &core, clients)
    let undone = ask(ofAnswer: answer)
    oracle.asks[undone].undoings += 1
    let name = CallName(ask: -undone, occurrence: oracle.asks[undone].undoings)
    upstreams[index].calls.append(SimulatedUpstream.Call(name: name, id: Int(id), task: task))
  }

  private func ask(ofAnswer answer: Int) -> Int { oracle.answers[answer].ask }

  /// The params are what was asked and what came of it, byte for byte.
  private mutating func answerToUndo(_ envelope: Envelope, in bytes: [UInt8]) -> Int? {
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
    let ask = ask(ofAnswer: answer)
    line.removeAll(keepingCapacity: true)
    line.append(#"{"params":"#)
    Spelling.sentAsks[Int(oracle.asks[ask].form)].params.append(ask, to: &line)
    line.append(#","result":"#)
    Spelling.results[oracle.answers[answer].form].append(answer, to: &line)
    line.append("}")
    let isSame = line.elementsEqual(bytes[envelope.params.range])
    oracle.expect(isSame, "invariant 7: what is to be undone changed on the way")
    return answer
  }

  private mutating func checkAsk(_ ask: Int, _ envelope: Envelope, in bytes: [UInt8]) {
    let spelling = Spelling.sentAsks[Int(oracle.asks[ask].form)]
    let isSame =
      spelling.method.matches(ask, bytes[envelope.method.range])
      && spelling.params.matches(ask, bytes[envelope.params.range])
    oracle.expect(isSame, "invariant 7: ask \(ask) reached upstream changed")
  }

  /// Whether this is a cancel in any dialect.
  private mutating func hearsCancel(_ envelope: Envelope, in bytes: [UInt8], upstream index: Int) -> Bool {
    let method = bytes[envelope.method.range]
    let dialect: CancelDialect
    if method.elementsEqual(#""$/cancelRequest""#.utf8) {
      dialect = .lsp
    } else if method.elementsEqual(#""notifications/cancelled""#.utf8) {
      dialect = .mcp
    } else {
      return false
    }
    let id = [UInt8].firstNumber(in: bytes[envelope.params.range]) ?? 0
    if let task = oracle.sawCancel(UInt32(id), dialect, at: index, &core, clients) {
      for call in upstreams[index].calls.indices where upstreams[index].calls[call].task == task {
        upstreams[index].calls[call].isCancelled = true
      }
    }
    return true
  }
}
