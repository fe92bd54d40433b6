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
    while let lineEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
      log.add(bytes[start...lineEnd])
      oracle.heard(start..<lineEnd, in: bytes, by: client)
      start = lineEnd + 1
    }
    bytes.removeLast(Self.slackBytes)
    bytes.removeSubrange(0..<start)
    swap(&bytes, &network.inboxes[client].bytes)
    guard network.inboxes[client].isOpen else { return }
    let unsent = core.unsentByteCount(of: clients.all[client].id)
    oracle.expect(
      unsent <= oracle.configuration.clientOutputHardBytes,
      "invariant 9: \(unsent) bytes wait for client \(client)")
  }

  /// The gateway closed a connection: it reads nothing from it, or every reply is out.
  private mutating func isClosed(_ client: Int) {
    if !network.inboxes[client].isClogged {
      let isDone = clients.all[client].finHasArrived || clients.all[client].isTurnedAway
      oracle.expect(isDone, "client \(client) was closed for no reason")
      if !clients.all[client].isTurnedAway { oracle.expectAllAnswered(client, because: "and it was closed") }
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
    guard let ask = [UInt8].lastNumber(in: bytes[envelope.method.range]), ask < oracle.asks.count else {
      return oracle.complain("upstream was asked what nobody asked: \(oracle.text(bytes[line]))")
    }
    checkAsk(ask, envelope, in: bytes)
    oracle.asks[ask].occurrences += 1
    if envelope.isNotification { return oracle.sawNotification(ask: ask) }
    hearsCall(ask, envelope, in: bytes)
  }

  private mutating func hearsCall(_ ask: Int, _ envelope: Envelope, in bytes: [UInt8]) {
    guard let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes.span), id < 1 << 31 else {
      return oracle.complain("upstream was sent an id that is none of ours")
    }
    let task = oracle.sawCall(UInt32(id), ask: ask, &core, clients)
    let name = CallName(ask: ask, occurrence: oracle.asks[ask].occurrences)
    upstream.calls.append(SimulatedUpstream.Call(name: name, id: Int(id), task: task))
  }

  private mutating func checkAsk(_ ask: Int, _ envelope: Envelope, in bytes: [UInt8]) {
    let spelling = Spelling.asks[Int(oracle.asks[ask].form)]
    let isSame =
      spelling.method.matches(ask, bytes[envelope.method.range])
      && spelling.params.matches(ask, bytes[envelope.params.range])
    oracle.expect(isSame, "invariant 7: ask \(ask) reached upstream changed")
  }

  /// Whether this is a cancel in the upstream's dialect.
  private mutating func hearsCancel(_ envelope: Envelope, in bytes: [UInt8]) -> Bool {
    let method = bytes[envelope.method.range]
    let isCancel =
      switch oracle.configuration.upstreams[0].cancel {
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
