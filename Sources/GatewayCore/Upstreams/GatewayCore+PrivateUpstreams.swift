import HotData
import JSONRPC
import TaskStore

/// Upstreams that a client connection has for itself: stateful ones, such as language servers. What they say by
/// themselves reaches their client, and its answers reach them.
extension GatewayCore {
  /// The upstream of its own that this client's requests go to, opened if need be; nil: the bound on them is reached.
  mutating func ownUpstream(at place: Int, for client: Int) -> Int? {
    for own in clients[client].ownUpstreams where upstreams[own].place == place { return own }
    guard openPrivateCount < configuration.privateUpstreams else { return nil }
    let slot = upstreams.insert(Upstream(place: place, client: client, configuration))
    clients[client].addOwnUpstream(slot)
    openPrivateCount += 1
    privateSoFar &+= 1
    makeSession(of: slot, privateSoFar % configuration.upstreams[place].endpoints)
    return slot
  }

  mutating func openUpstreams(for client: Int) {
    for place in configuration.upstreams.indices where configuration.upstreams[place].isPerConnection {
      _ = ownUpstream(at: place, for: client)
    }
  }

  mutating func closeOwnUpstreams(of client: Int) {
    while let upstream = clients[client].ownUpstreams.first { closeUpstream(upstream) }
  }

  /// Nothing goes to this upstream of a client's own any more: what waits or was sent fails, its connection ends with this turn.
  mutating func closeUpstream(_ upstream: Int) {
    clients[upstreams[upstream].client].removeOwnUpstream(upstream)
    upstreams[upstream].isClosed = true
    openPrivateCount -= 1
    // Kept until all is done here, even if its last task goes before.
    upstreams[upstream].calls += 1
    for session in upstreams[upstream].sessions {
      sessions[session].state = .ended
      forgetHeld(ofUpstream: session)
      endedSessions.append(session)
      failCalls(of: session)
    }
    while upstreams[upstream].waitingCount > 0 {
      let first = waitingLines.first(of: upstreams[upstream].waiting)
      fail(task(of: first), .upstreamUnavailable)
    }
    // What is queued still has to hear of it; the connection's number may be another's by then.
    upstreams[upstream].sessions = []
    upstreams[upstream].calls -= 1
    removeIfClosed(upstream)
  }

  mutating func removeIfClosed(_ upstream: Int) {
    guard upstreams[upstream].isClosed, upstreams[upstream].calls == 0 else { return }
    upstreams.remove(upstream)
  }

  // MARK: From upstream

  /// A request or notification of an upstream's own.
  mutating func upstreamAsked(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) {
    let client = upstreams[sessions[slot].upstream].client
    guard client >= 0 else {
      // It is for no client in particular.
      counters.unsolicited += 1
      return refuseAsked(as: envelope.id, .methodNotFound, in: bytes, from: slot)
    }
    if envelope.isNotification { heardProgress(envelope, in: bytes, from: slot) }
    guard takesMore(client) else { return }
    var id = RequestID()
    if envelope.isNotification {
      if let id = CancelledID.find(envelope, in: bytes) {
        return relayCancel(of: id, envelope, in: bytes, from: slot, to: client)
      }
    } else {
      guard sessions[slot].asked.count < configuration.upstreamRequests else {
        return refuseAsked(as: envelope.id, .overloaded, in: bytes, from: slot)
      }
      let number = clients[client].nextAskedNumber()
      sessions[slot].asked[number] = RequestID(envelope.id, in: bytes)
      id = RequestID(number)
    }
    counters.relayed += 1
    let framing = clients[client].framing
    MessageWriter.relay(
      id, bytes, method: envelope.method.range, params: envelope.params.range, as: framing,
      into: &clients[client].output)
    markDirty(client)
  }

  /// - Parameter id: that of upstream's request; empty: it is a notification, and nobody hears of it.
  mutating func refuseAsked(as id: ByteRange, _ error: RPCError, in bytes: Span<UInt8>, from slot: Int) {
    let options = upstreams[sessions[slot].upstream].options
    guard !id.isEmpty, isWithinHardBound(slot) else { return }
    MessageWriter.error(
      RequestID(id, in: bytes), error, as: options.framing, into: &sessions[slot].output)
  }

  private func isWithinHardBound(_ slot: Int) -> Bool {
    sessions[slot].output.byteCount <= upstreams[sessions[slot].upstream].outputHardBytes
  }

  /// The number of the newest request with this id that the client has not answered.
  private func askedNumber(_ id: ByteRange, in bytes: Span<UInt8>, from slot: Int) -> UInt64? {
    var newest: UInt64?
    for (number, asked) in sessions[slot].asked where asked.matches(id, in: bytes) {
      newest = max(number, newest ?? 0)
    }
    return newest
  }

  private mutating func relayCancel(
    of id: ByteRange, _ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int, to client: Int
  ) {
    // The client would take upstream's id for one of our numbers, and give up another request.
    guard let number = askedNumber(id, in: bytes, from: slot) else { return counters.unsolicited += 1 }
    var message: [UInt8] = []
    if CancelledID.isMCP(envelope, in: bytes) {
      // The client will not answer it.
      sessions[slot].asked[number] = nil
      MessageWriter.openCancelledNotification(into: &message)
    } else {
      MessageWriter.openCancelRequest(into: &message)
    }
    message.append(decimal: number)
    message.append("}}")
    counters.relayed += 1
    let framing = clients[client].framing
    MessageWriter.message(message.span, as: framing, into: &clients[client].output)
    markDirty(client)
  }

  // MARK: From the client

  /// A client's answer to what an upstream of its own asked it.
  mutating func clientAnswered(_ bytes: Span<UInt8>, _ envelope: Envelope, from client: Int) {
    if bytes.holds("null", in: envelope.id.range) {
      return refuseAsked(of: client, because: "the client's answer names no request")
    }
    guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
      let (slot, id) = takeAsked(number, of: client)
    else {
      counters.unsolicited += 1
      return
    }
    counters.relayed += 1
    let isError = !envelope.error.isEmpty
    let framing = upstreams[sessions[slot].upstream].options.framing
    MessageWriter.answer(
      id, isError: isError, bytes, (isError ? envelope.error : envelope.result).range, as: framing,
      into: &sessions[slot].output)
    if !isWithinHardBound(slot) { lose(slot) }
  }

  /// What should have been such an answer and is none: its own client hears nothing of that, and who asked does not wait
  /// for ever.
  mutating func clientAnsweredBadly(
    _ bytes: Span<UInt8>, _ envelope: Envelope, _ fault: EnvelopeFault, from client: Int
  ) {
    counters.invalid += 1
    let reason = "the client's answer is none: \(fault.message)"
    guard !envelope.id.isEmpty, !bytes.holds("null", in: envelope.id.range) else {
      return refuseAsked(of: client, because: reason)
    }
    guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
      let (slot, id) = takeAsked(number, of: client)
    else { return counters.unsolicited += 1 }
    refuseAsked(id, at: slot, because: reason)
  }

  /// Nobody knows which question an answer was for that names none: none of them is waited for any more.
  private mutating func refuseAsked(of client: Int, because reason: String) {
    var hasAny = false
    for upstream in clients[client].ownUpstreams {
      for slot in upstreams[upstream].sessions {
        let asked = sessions[slot].asked.sorted { $0.key < $1.key }
        sessions[slot].asked = [:]
        for (_, id) in asked where sessions[slot].isConnected { refuseAsked(id, at: slot, because: reason) }
        hasAny = hasAny || !asked.isEmpty
      }
    }
    if !hasAny { counters.unsolicited += 1 }
  }

  private mutating func refuseAsked(_ id: RequestID, at slot: Int, because reason: String) {
    let framing = upstreams[sessions[slot].upstream].options.framing
    MessageWriter.error(
      id, .internalError.with(message: reason), as: framing, into: &sessions[slot].output)
    if !isWithinHardBound(slot) { lose(slot) }
  }

  private mutating func takeAsked(_ number: UInt64, of client: Int) -> (session: Int, id: RequestID)? {
    for upstream in clients[client].ownUpstreams {
      for slot in upstreams[upstream].sessions {
        if let id = sessions[slot].asked.removeValue(forKey: number) { return (slot, id) }
      }
    }
    return nil
  }
}
