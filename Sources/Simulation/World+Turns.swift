import GatewayCore
import JSONRPC

/// What the core hands out at the end of each turn of its loop.
extension World {
  mutating func endTurn() {
    network.startOver()
    core.flush(into: &network)
    takeWishes()
    listenForUpstream()
    for client in network.dirtyClients { listen(to: client) }
    for client in network.closedClients { isClosed(client) }
    oracle.isBacklogged = network.upstreamIsClogged
    if !oracle.isBacklogged { oracle.lastClean = oracle.event }
    turnIsOpen = false
  }

  private mutating func takeWishes() {
    oracle.expect(
      network.wantsNoConnection == expectsDisconnect, "the upstream connection was closed, or was not")
    expectsDisconnect = false
    guard network.wantsConnection else { return }
    oracle.expect(upstream.state == .closed, "an upstream was connected twice")
    upstream.state = .connecting
  }

  // MARK: Clients

  private mutating func listen(to client: Int) {
    var bytes: [UInt8] = []
    swap(&bytes, &network.inboxes[client].bytes)
    var start = 0
    let end = bytes.count
    bytes.append(contentsOf: repeatElement(0xff, count: Self.slackBytes))
    while let message = message(from: start, in: bytes[..<end], clients.all[client].framing) {
      log.add(bytes[start..<message.end])
      oracle.heard(message.body, in: bytes, by: client)
      start = message.end
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.inboxes[client].bytes)
    guard network.inboxes[client].isOpen else { return }
    if network.inboxes[client].isClogged { oracle.coverage.count(.clogged) }
    if network.inboxes[client].isPaused { oracle.coverage.count(.paused) }
    let unsent = core.unsentByteCount(of: clients.all[client].id)
    oracle.expect(
      unsent <= oracle.bounds.clientOutputHardBytes,
      "invariant 9: \(unsent) bytes wait for client \(client)")
    let shouldPause = unsent > oracle.bounds.clientOutputSoftBytes
    oracle.expect(
      !shouldPause || network.inboxes[client].isPaused, "client \(client) does not read, and is read from")
  }

  /// The next whole message that a client got, and where it ends.
  private func message(
    from start: Int, in bytes: ArraySlice<UInt8>, _ framing: Framing
  ) -> (body: Range<Int>, end: Int)? {
    guard let lineEnd = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    if framing == .lines { return (start..<lineEnd, lineEnd + 1) }
    let count = [UInt8].firstNumber(in: bytes[start..<lineEnd]) ?? 0
    let body = lineEnd + 3
    let isHeader = Template("Content-Length: ~\r").matches(count, bytes[start..<lineEnd])
    guard isHeader, count > 0 else {
      oracle.complain("a client got a wrong header: \(oracle.text(bytes[start..<lineEnd]))")
      return nil
    }
    guard body + count <= bytes.endIndex else { return nil }
    return (body..<body + count, body + count)
  }

  /// The gateway closed a connection: it reads nothing from it, or every reply is out.
  private mutating func isClosed(_ client: Int) {
    if network.inboxes[client].isClogged {
      oracle.coverage.count(.closedUnread)
    } else {
      oracle.coverage.count(clients.all[client].isTurnedAway ? .turnedAway : .closedDone)
      let isDone =
        clients.all[client].finHasArrived || clients.all[client].isTurnedAway
        || oracle.clients[client].hadBatches && oracle.configuration.clientOutputHardBytes < Self.tightBytes
      oracle.expect(isDone, "client \(client) was closed for no reason")
      if clients.all[client].finHasArrived && !clients.all[client].isTurnedAway {
        oracle.expectAllAnswered(client, because: "and it was closed")
      }
    }
    log.add(client)
    clients.close(client)
    oracle.isGone(client)
  }

  // MARK: Upstream

  private mutating func listenForUpstream() {
    guard !network.toUpstream.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &network.toUpstream)
    var start = 0
    let end = bytes.count
    bytes.append(contentsOf: repeatElement(0xff, count: Self.slackBytes))
    while let lineEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
      log.add(bytes[start...lineEnd])
      upstreamHears(start..<lineEnd, in: bytes)
      start = lineEnd + 1
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.toUpstream)
  }

  private mutating func upstreamHears(_ line: Range<Int>, in bytes: [UInt8]) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes.span, line, into: &envelope)
    guard case .message = outcome, !envelope.isResponse else {
      return oracle.complain("upstream was sent what is no request: \(oracle.text(bytes[line]))")
    }
    if envelope.isNotification, hearsCancel(envelope, in: bytes) { return }
    if method(envelope, in: bytes, is: Spelling.undoing) { return hearsUndoing(envelope, in: bytes) }
    guard let ask = ask(envelope, in: bytes), ask < oracle.asks.count else {
      return oracle.complain("upstream was asked what nobody asked: \(oracle.text(bytes[line]))")
    }
    checkAsk(ask, envelope, in: bytes)
    oracle.asks[ask].occurrences += 1
    if envelope.isNotification { return oracle.sawNotification(ask: ask) }
    guard let id = id(envelope, in: bytes) else { return }
    let task = oracle.sawCall(id, ask: ask, &core, clients)
    let name = CallName(ask: ask, occurrence: oracle.asks[ask].occurrences)
    upstream.calls.append(SimulatedUpstream.Call(name: name, id: Int(id), task: task))
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
  private mutating func hearsUndoing(_ envelope: Envelope, in bytes: [UInt8]) {
    guard let id = id(envelope, in: bytes), let answer = answerToUndo(envelope, in: bytes) else { return }
    let task = oracle.sawUndoing(id, of: answer, &core, clients)
    let undone = ask(ofAnswer: answer)
    oracle.asks[undone].undoings += 1
    let name = CallName(ask: -undone, occurrence: oracle.asks[undone].undoings)
    upstream.calls.append(SimulatedUpstream.Call(name: name, id: Int(id), task: task))
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

  /// Whether this is a cancel in the upstream's dialect.
  private mutating func hearsCancel(_ envelope: Envelope, in bytes: [UInt8]) -> Bool {
    let method = bytes[envelope.method.range]
    let isCancel =
      switch oracle.dialect {
      case .lsp: method.elementsEqual(#""$/cancelRequest""#.utf8)
      case .mcp: method.elementsEqual(#""notifications/cancelled""#.utf8)
      case .none: false
      }
    guard isCancel else { return false }
    let id = [UInt8].firstNumber(in: bytes[envelope.params.range]) ?? 0
    if let task = oracle.sawCancel(UInt32(id), &core, clients) {
      for index in upstream.calls.indices where upstream.calls[index].task == task {
        upstream.calls[index].isCancelled = true
      }
    }
    return true
  }
}
