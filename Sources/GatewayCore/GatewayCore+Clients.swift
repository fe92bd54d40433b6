import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: Connections

  /// A client connected; nil when the bound on connections is reached: the shell then refuses it.
  /// - Parameter listener: clients of one listener share keys.
  package mutating func clientConnected(listener: Int) -> ClientID? {
    guard clients.count < configuration.connections else { return nil }
    counters.clientConnections += 1
    connectionsSoFar += 1
    let session = ClientSession(
      framer: MessageFramer(limitBytes: configuration.messageLimitBytes), output: OutputQueue(pool: blocks),
      listener: listener,
      listener < configuration.listeners.count ? configuration.listeners[listener] : ListenerOptions(),
      number: connectionsSoFar)
    let slot = clients.insert(session)
    wait(for: slot, hasAdvanced: false)
    return ClientID(slot: slot)
  }

  /// FIN: the client will send no more, and still gets its answers, unless its listener takes that for its end.
  package mutating func clientEnded(_ client: ClientID) {
    if clients[client.slot].listener.cancelsAtEnd { abandonRequests(of: client.slot) }
    clients[client.slot].hasEnded = true
    wait(for: client.slot, hasAdvanced: false)
    markDirty(client.slot)
  }

  /// A reset or a failed write: nobody is there any more.
  package mutating func clientDisconnected(_ client: ClientID) { remove(client.slot) }

  /// Whether a client that sends no more has been answered all, and its own upstreams have heard all that it sent.
  func hasEndedAll(_ client: Int) -> Bool {
    guard clients[client].hasEnded && clients[client].unanswered == 0 else { return false }
    for upstream in clients[client].ownUpstreams where !hasHeardAll(upstream) { return false }
    return true
  }

  package mutating func clientBecameWritable(_ client: ClientID) { markDirty(client.slot) }

  mutating func remove(_ client: Int) {
    abandonRequests(of: client)
    closeOwnUpstreams(of: client)
    waiting.end(clients[client].waitsFor, for: client)
    clients.remove(client)
  }

  /// Nobody waits for the answers to this connection's requests any more.
  private mutating func abandonRequests(of client: Int) {
    while !clients[client].openRequests.isEmpty {
      let waiter = clients[client].openRequests.newest
      counters.abandoned += 1
      if journal.isOpen { note(.abandoned, store.task(of: waiter), of: client) }
      forgetCaller(waiter)
      store.disconnected(waiter, effects: &effects)
      performEffects()
    }
  }

  // MARK: Output

  /// Writes what need not, or must not, wait for the turn's end. To be called between events.
  package mutating func flushEarly<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    if dirtyClients.count >= configuration.unflushedClients { flushClients(into: &sink) }
    if earlySession >= 0 { flushEarlySession(into: &sink) }
  }

  mutating func flushClients<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    // Flushing one client may end it, and what that leads to may make others dirty: they come behind.
    var index = 0
    while index < dirtyClients.count {
      flushClient(dirtyClients[index], into: &sink)
      index += 1
    }
    dirtyClients.removeAll(keepingCapacity: true)
  }

  private mutating func flushClient<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    // A client that was removed, or whose number has a new owner, has nothing to flush or flushes early.
    guard clients.contains(slot), clients[slot].isDirty else { return }
    clients[slot].isDirty = false
    let id = ClientID(slot: slot)
    let before = clients[slot].output.byteCount
    unsafe clients[slot].output.send { chunks in unsafe sink.write(chunks, to: id) }
    let unsent = clients[slot].output.byteCount
    counters.bytesToClients &+= UInt64(before - unsent)
    let isDone = clients[slot].isClosing || clients[slot].isLeaving && clients[slot].unanswered == 0
    let isTooMuch = unsent + clients[slot].batchBytes > configuration.clientOutputHardBytes
    if clients[slot].isGivenUp || isTooMuch || (isDone || hasEndedAll(slot)) && unsent == 0 {
      sink.close(id)
      remove(slot)
    } else {
      pauseOrResume(slot, unsent, into: &sink)
      wait(for: slot, hasAdvanced: clients[slot].waitsFor == .reading && unsent < before)
    }
  }

  /// Only output that the client does not read pauses its reading: a cancel must always get through.
  private mutating func pauseOrResume<Sink: GatewaySink & ~Copyable>(
    _ slot: Int, _ unsent: Int, into sink: inout Sink
  ) {
    let soft = configuration.clientOutputSoftBytes
    if !clients[slot].isReadingPaused && unsent > soft {
      clients[slot].isReadingPaused = true
      sink.setReading(false, from: ClientID(slot: slot))
    } else if clients[slot].isReadingPaused && unsent <= soft / 2 {
      clients[slot].isReadingPaused = false
      sink.setReading(true, from: ClientID(slot: slot))
    }
  }
}
