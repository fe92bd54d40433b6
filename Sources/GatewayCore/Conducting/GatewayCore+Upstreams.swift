import HotData
import JSONRPC
import TaskStore

/// Connections to upstreams that come and go, what is written to them, and what they and their clients ask each other.
extension GatewayCore {
  // MARK: Connections

  package mutating func upstreamConnected(_ id: UpstreamID) {
    if upstreams.connected(id.slot) { sendWaiting(upstreams.upstream(ofSession: id.slot)) }
  }

  /// The connection, or the attempt at one, failed: what it worked on is lost, and is never sent again by itself.
  package mutating func upstreamDisconnected(_ id: UpstreamID) {
    handleHeld(ofUpstream: id.slot)
    if upstreams.disconnected(id.slot) { lose(id.slot) }
  }

  package mutating func upstreamBecameWritable(_ id: UpstreamID) {
    if upstreams.isConnected(id.slot) { sendWaiting(upstreams.upstream(ofSession: id.slot)) }
  }

  /// Whatever is still open of this connection ends.
  mutating func lose(_ slot: Int) {
    let upstream = upstreams.upstream(ofSession: slot)
    let wasConnected = upstreams.lose(slot)
    let client = upstreams.client(of: upstream)
    guard client >= 0, wasConnected else { return failCalls(of: slot) }
    // What the upstream knew of this client is gone, and nobody but the client can tell it again.
    closeUpstream(upstream)
    edge.leave(client)
  }

  /// Nothing goes to this upstream of a client's own any more: what waits or was sent fails, its connection ends with
  /// this turn.
  mutating func closeUpstream(_ upstream: Int) {
    edge.removeOwnUpstream(upstream, of: upstreams.client(of: upstream))
    for session in upstreams.beginClosing(upstream) { failCalls(of: session) }
    while upstreams.waitingCount(upstream) > 0 {
      fail(lanes.task(of: upstreams.firstWaiting(upstream)), .upstreamUnavailable)
    }
    upstreams.endClosing(upstream)
  }

  /// What was sent over this connection fails, and nothing more is heard of it.
  private mutating func failCalls(of slot: Int) {
    upstreams.forgetMessages(of: slot)
    while let call = upstreams.anyCall(of: slot) {
      fail(lanes.task(of: call), .upstreamUnavailable)
    }
  }

  // MARK: Output

  @inline(__always)
  mutating func flushUpstreams<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    for upstream in upstreams.slots where upstreams.isThere(upstream) {
      if !upstreams.flushFast(upstream, into: &sink) { flushUpstream(upstream, into: &sink) }
    }
    upstreams.closeEndedSessions(into: &sink)
  }

  @inline(never)
  private mutating func flushUpstream<Sink: GatewaySink & ~Copyable>(
    _ upstream: Int, into sink: inout Sink
  ) {
    if upstreams.takesExchanges(upstream) { beginWaiting(upstream, into: &sink) }
    // A write that took everything is followed by no `upstreamBecameWritable`: what waits goes on here.
    repeat { upstreams.flushSessions(of: upstream, into: &sink) } while sendWaiting(upstream)
    guard upstreams.client(of: upstream) >= 0, !upstreams.isClosed(upstream) else { return }
    limitLastWords(of: upstream)
    setReadingOfClient(of: upstream, into: &sink)
    letClientGo(of: upstream)
  }

  /// An upstream of a client's own that was told the end has its time to say the last once all else is answered.
  private mutating func limitLastWords(of upstream: Int) {
    let client = upstreams.client(of: upstream)
    guard let until = upstreams.speaksUntilMilliseconds(upstream) else { return }
    guard until == .max, edge.unansweredCount(of: client) == 0 else {
      return edge.listen(to: upstream, until: until, for: client)
    }
    edge.listen(to: upstream, until: upstreams.limitLastWords(upstream), for: client)
    edge.wait(for: client, hasAdvanced: false)
  }

  /// A client that sends no more closes once its own upstreams have heard all that it sent, and have said the last.
  private mutating func letClientGo(of upstream: Int) {
    let client = upstreams.client(of: upstream)
    guard edge.hasTakenAll(client), hasEndedAll(client) else { return }
    edge.markDirty(client)
    hasSettled = true
  }

  // MARK: What upstreams ask

  /// A request or notification of an upstream's own: one of a client's own reaches that.
  mutating func upstreamAsked(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) {
    if Piece.isSaid(in: envelope, bytes: bytes) { return heardPiece(bytes, envelope, from: slot) }
    let client = upstreams.client(ofSession: slot)
    guard client >= 0 else {
      if envelope.isNotification, upstreams.passesProgress(from: slot) {
        return heardPassedProgress(bytes, envelope, from: slot)
      }
      // It is for no client in particular.
      upstreams.counters.unsolicited += 1
      return upstreams.refuseAsked(as: envelope.id, .methodNotFound, in: bytes, from: slot)
    }
    if envelope.isNotification {
      if heardSubscribed(bytes, envelope, from: slot) { return }
      guard heardProgress(envelope, in: bytes, from: slot) else {
        return upstreams.counters.droppedPieces += 1
      }
    }
    guard edge.takesMore(client) else { return }
    var id = RequestID()
    if envelope.isNotification {
      if let id = CancelledID.find(envelope, in: bytes) {
        guard let number = upstreams.takenBack(id, envelope, in: bytes, from: slot) else { return }
        return edge.relayCancel(of: number, isMCP: CancelledID.isMCP(envelope, in: bytes), to: client)
      }
    } else {
      guard upstreams.mayAsk(slot) else {
        return upstreams.refuseAsked(as: envelope.id, .overloaded, in: bytes, from: slot)
      }
      if let token = edge.createdToken(in: envelope, bytes) { upstreams.forgetToken(token, from: slot) }
      let number = edge.nextAskedNumber(of: client)
      upstreams.noteAsked(envelope.id, as: number, in: bytes, from: slot)
      id = RequestID(number)
    }
    edge.relay(id, bytes, envelope, to: client)
  }

  /// Upstream said something of its own: progress gives the callers of its task their time anew.
  /// - Returns: whether its client may hear it: not the progress of a task without callers.
  private mutating func heardProgress(_ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int) -> Bool {
    guard let token = edge.progressToken(in: envelope, bytes),
      let task = upstreams.task(named: token, from: slot)
    else { return true }
    guard lanes.isLive(task), !isLate || fireOverdue(of: task), lanes.isLive(task) else { return false }
    guard upstreams.isWanted(task.slot), upstreams.isAt(slot, task.slot) else { return true }
    share.spend(messages: lanes.extendDeadlines(of: task))
    return true
  }

  // MARK: What clients answer

  /// A client's answer to what an upstream of its own asked it.
  mutating func clientAnswered(_ bytes: Span<UInt8>, _ envelope: Envelope, from client: Int) {
    if bytes.holds("null", in: envelope.id.range) {
      return refuseAsked(of: client, because: "the client's answer names no request")
    }
    guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
      let (slot, id) = takeAsked(number, of: client)
    else { return edge.counters.unsolicited += 1 }
    edge.counters.relayed += 1
    if !upstreams.answer(id, bytes, envelope, to: slot) { lose(slot) }
  }

  /// A client's response that is no valid answer. The client hears nothing of it, and the upstream that asked hears an
  /// error.
  mutating func clientAnsweredBadly(
    _ bytes: Span<UInt8>, _ envelope: Envelope, _ fault: EnvelopeFault, from client: Int
  ) {
    edge.counters.invalid += 1
    let reason = "the client's answer is none: \(fault.message)"
    guard !envelope.id.isEmpty, !bytes.holds("null", in: envelope.id.range) else {
      return refuseAsked(of: client, because: reason)
    }
    guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
      let (slot, id) = takeAsked(number, of: client)
    else { return edge.counters.unsolicited += 1 }
    if !upstreams.refuseAsked(id, at: slot, because: reason) { lose(slot) }
  }

  /// Nobody knows which question an answer was for that names none: none of them is waited for any more.
  private mutating func refuseAsked(of client: Int, because reason: String) {
    var hasAny = false
    for upstream in edge.ownUpstreams(of: client) {
      for slot in upstreams.sessions(of: upstream) {
        let asked = upstreams.takeAllAsked(from: slot)
        for id in asked where upstreams.isConnected(slot) {
          if !upstreams.refuseAsked(id, at: slot, because: reason) { lose(slot) }
        }
        hasAny = hasAny || !asked.isEmpty
      }
    }
    if !hasAny { edge.counters.unsolicited += 1 }
  }

  private mutating func takeAsked(_ number: UInt64, of client: Int) -> (session: Int, id: RequestID)? {
    for upstream in edge.ownUpstreams(of: client) {
      for slot in upstreams.sessions(of: upstream) {
        if let id = upstreams.takeAsked(number, from: slot) { return (slot, id) }
      }
    }
    return nil
  }
}
