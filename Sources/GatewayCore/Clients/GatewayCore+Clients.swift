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
    let account = accounts.open()
    allotments.open(account)
    let session = ClientSession(
      framer: MessageFramer(limitBytes: configuration.messageLimitBytes), output: OutputQueue(pool: blocks),
      listener: listener,
      listener < configuration.listeners.count ? configuration.listeners[listener] : ListenerOptions(),
      account: account, number: connectionsSoFar)
    let slot = clients.insert(session)
    accounts[account].client = slot
    wait(for: slot, hasAdvanced: false)
    if clients[slot].listener.opensUpstreams { openUpstreams(for: slot) }
    return ClientID(slot: slot)
  }

  /// FIN: the client will send no more, and still gets its answers, unless its listener takes that for its end.
  package mutating func clientEnded(_ client: ClientID) {
    // Behind all that it has sent.
    if let held = clients[client.slot].held { return held.isLast = true }
    refuseHalf(of: client.slot, because: "the connection ended within a message")
    if clients[client.slot].listener.cancelsAtEnd { abandonAll(of: client.slot) }
    clients[client.slot].hasEnded = true
    wait(for: client.slot, hasAdvanced: false)
    markDirty(client.slot)
  }

  /// A reset or a failed write: nobody is there any more.
  package mutating func clientDisconnected(_ client: ClientID) { remove(client.slot) }

  /// Whether a client that sends no more has been answered all, its notifications have been sent, and its own upstreams
  /// have heard all that it sent, and have said the last.
  func hasEndedAll(_ client: Int) -> Bool {
    guard clients[client].hasEnded && clients[client].unanswered == 0 else { return false }
    guard accounts[clients[client].account].unsentNotifications.isEmpty else { return false }
    for upstream in clients[client].ownUpstreams where !hasDoneAll(upstream) { return false }
    return true
  }

  package mutating func clientBecameWritable(_ client: ClientID) {
    markDirty(client.slot)
  }

  mutating func remove(_ client: Int) {
    abandonAll(of: client)
    closeOwnUpstreams(of: client)
    forgetHeld(of: client)
    inputBytes -= clients[client].inputBytes
    waiting.end(clients[client].waitsFor, for: client)
    closeAccount(of: client)
    if !clientsToldOf.isEmpty { clientsToldOf.remove(client) }
    clients.remove(client)
  }

  /// Nobody is there any more: what is queued goes, what upstream works on is cancelled, and what somebody else waits
  /// for goes on.
  private mutating func abandonAll(of client: Int) {
    leaveTasks(of: client)
    // Last, else what it has queued might start for a moment.
    endPatience(of: clients[client].account)
  }

  // MARK: Output

  /// Writes what need not, or must not, wait for the turn's end. To be called between events.
  package mutating func flushEarly<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    if heldUpClient >= 0 { stopReading(into: &sink) }
    if dirtyClients.count >= configuration.unflushedClients || isToWriteSoon { flushClients(into: &sink) }
    if earlySession >= 0 { flushEarlySession(into: &sink) }
  }

  /// Where there is more to do than there is time, writing must not come on top of that: the turn is measured with it.
  private var isToWriteSoon: Bool { holdsInput && dirtyClients.count >= Self.soonWrittenClients }

  private static let soonWrittenClients = 8

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
    let isDone =
      clients[slot].isClosing
      || clients[slot].isLeaving && clients[slot].unanswered == 0 && clients[slot].held == nil
    let isTooMuch = unsent + clients[slot].batchBytes > configuration.clientOutputHardBytes
    if clients[slot].isGivenUp || isTooMuch || (isDone || hasEndedAll(slot)) && unsent == 0 {
      if clients[slot].makesRoom { sink.drop(id) } else { sink.close(id) }
      remove(slot)
    } else {
      pauseOrResume(slot, unsent)
      setReading(slot, into: &sink)
      wait(for: slot, hasAdvanced: clients[slot].waitsFor == .reading && unsent < before)
    }
  }

  /// But for an upstream that is waited for, only output that the client does not read pauses its reading for long: a
  /// cancel must always get through.
  private mutating func pauseOrResume(_ slot: Int, _ unsent: Int) {
    let soft = configuration.clientOutputSoftBytes
    if !clients[slot].isReadingPaused && unsent > soft {
      clients[slot].isReadingPaused = true
    } else if clients[slot].isReadingPaused && unsent <= soft / 2 {
      clients[slot].isReadingPaused = false
    }
  }

  /// Of whom something is held nothing is read before that is handled.
  mutating func setReading<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    let isStopped =
      clients[slot].isReadingPaused || clients[slot].held != nil
      || clients[slot].listener.waitsForUpstreams && waitsForUpstream(slot)
    guard isStopped != clients[slot].isReadingStopped else { return }
    clients[slot].isReadingStopped = isStopped
    sink.setReading(!isStopped, from: ClientID(slot: slot))
  }

  /// Whether an upstream of its own is behind with what it was sent: from the soft bound on, until half of that is left.
  private func waitsForUpstream(_ client: Int) -> Bool {
    for upstream in clients[client].ownUpstreams {
      let soft = upstreams[upstream].outputSoftBytes
      let enough = clients[client].isReadingStopped ? soft / 2 + 1 : soft
      for slot in upstreams[upstream].sessions where sessions[slot].output.byteCount >= enough { return true }
    }
    return false
  }

  /// Of whom something is held at once no more is read, even in this turn.
  @inline(never)
  private mutating func stopReading<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    let slot = heldUpClient
    heldUpClient = -1
    // Meanwhile it may have gone.
    if clients.contains(slot) { setReading(slot, into: &sink) }
  }
}
