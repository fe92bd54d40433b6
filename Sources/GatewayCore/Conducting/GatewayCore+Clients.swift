import HotData
package import Identity
import JSONRPC
import TaskStore

/// Clients that come and go, and what is written to them.
extension GatewayCore {
  // MARK: Connections

  /// A client connected; nil when the bound on connections is reached: the shell then refuses it.
  /// - Parameter listener: clients of one listener share keys.
  /// - Parameter credential: what is known of it before it has said anything.
  package mutating func clientConnected(
    listener: Int, _ credential: Credential? = nil, as kind: ClientKind = .stream
  ) -> ClientID? {
    guard !edge.isFull(for: listener, credential, kind) else {
      edge.noteRefused(for: listener, credential)
      return nil
    }
    let account = lanes.openAccount()
    upstreams.open(account)
    let slot = edge.connect(listener: listener, credential, account: account, as: kind)
    lanes.give(account, to: slot)
    noteWho(slot)
    if edge.opensUpstreams(slot) && !edge.isUnknown(slot) { openUpstreams(for: slot) }
    return ClientID(slot: slot)
  }

  /// Connections that the shell serves itself, such as those that carry exchanges: they count with the clients'.
  package mutating func connectionsOfShell(_ count: Int) { edge.noteConnectionsOfShell(count) }

  /// How many of the shell's connections have not authenticated yet: they count with the clients that have not.
  package mutating func unknownConnectionsOfShell(_ count: Int) { edge.noteUnknownOfShell(count) }

  /// Since when the gateway waits for a client to authenticate, in milliseconds; nil: it is known, or need not.
  package func unknownSince(_ client: ClientID) -> UInt64? { edge.unknownSince(client.slot) }

  /// Whether somebody is known by this credential at a listener; where nobody is asked, everybody is.
  package func isKnown(_ credential: Credential?, at listener: Int) -> Bool {
    !edge.principal(edge.options(ofListener: listener), credential).isUnknown
  }

  /// The shell has heard the first bytes of a client, and cannot tell yet what it speaks.
  package mutating func beganMessage(_ client: ClientID) { edge.beganMessage(client.slot) }

  /// Connections that other loops have: they count with the clients', too.
  package mutating func connectionsElsewhere(_ count: Int) { edge.connectionsElsewhere = count }

  /// Whether a client that comes now is kept out by the bound on all connections, and by nothing else.
  package func lacksPlace(for listener: Int, _ credential: Credential?, as kind: ClientKind) -> Bool {
    kind != .exchange && edge.hasAllConnections && !edge.isFullOfSuch(listener, credential, kind)
  }

  /// Of clients, those included that the shell serves by itself.
  package var connectionCount: Int { edge.connectionCount }

  /// A POST names its session, before anything of it has come.
  package mutating func name(_ client: ClientID, session text: [UInt8]) {
    edge.name(client.slot, session: text)
  }

  /// A POST takes what is said to it as a stream of events: there may be something before an answer.
  package mutating func takesEvents(_ client: ClientID) { edge.takeEvents(client.slot) }

  /// What carries a client takes so much memory by itself, from now on until something else is said or the client is
  /// gone; of a socket nothing is said.
  package mutating func transportHolds(_ byteCount: Int, for client: ClientID) {
    guard !edge.isGivenUp(client.slot) else { return }
    edge.note(transportBytes: byteCount, of: client.slot)
  }

  /// Connections that are no clients yet, such as those in handshakes, take so much memory in all, from now on.
  package mutating func arrivingHold(_ byteCount: Int) { edge.note(arrivingBytes: byteCount) }

  /// FIN: the client will send no more, and still gets its answers, unless its listener takes that for its end.
  package mutating func clientEnded(_ client: ClientID) {
    let slot = client.slot
    // Behind all that it has sent.
    if edge.noteLast(of: slot) { return }
    edge.refuseHalf(of: slot, because: "the connection ended within a message")
    if edge.cancelsAtEnd(slot) { abandonAll(of: slot) }
    edge.end(slot)
    for upstream in edge.ownUpstreams(of: slot) {
      upstreams.noteClientEnd(upstream, listens: !edge.cancelsAtEnd(slot))
    }
  }

  /// A reset or a failed write: nobody is there any more.
  package mutating func clientDisconnected(_ client: ClientID) { remove(client.slot) }

  package mutating func clientBecameWritable(_ client: ClientID) { edge.markDirty(client.slot) }

  /// - Parameter isOrderly: it has been answered all, and sends no more.
  mutating func remove(_ client: Int, isOrderly: Bool = false) {
    abandonAll(of: client, isOrderly: isOrderly)
    if lanes.hasPartitions { forgetPutOff(of: client) }
    peers.remove(client)
    for upstream in edge.ownUpstreams(of: client) { closeUpstream(upstream) }
    lanes.closeAccount(edge.account(of: client))
    edge.remove(client)
  }

  /// The client is gone: its queued tasks go, its tasks at upstream are cancelled, and tasks with other callers go on.
  private mutating func abandonAll(of client: Int, isOrderly: Bool = false) {
    leaveTasks(of: client)
    peers.takeLeave(of: client, isOrderly: isOrderly)
    if peers.loop.isInFleet { forgetParked(of: client) }
    // Last, else what it has queued might start for a moment.
    endLongDrains(of: edge.account(of: client))
  }

  /// A session's client ends it: each of its requests hears that it is taken back, and it closes.
  package mutating func clientLeaves(_ client: ClientID) {
    guard !edge.isGivenUp(client.slot) else { return }
    takeBack(of: client.slot)
    edge.endSession(client.slot)
  }

  /// The gateway itself takes back what a client has asked, for nobody waits for it any more: against that no rule and no
  /// rate of the client's stands.
  /// - Parameter ids: as the client has them, in JSON.
  /// - Returns: false where more is held of what the client has sent: the requests may be among that, and nothing is done.
  package mutating func takeBack(_ ids: [[UInt8]], of client: ClientID) -> Bool {
    guard !edge.isHeld(client.slot) else { return false }
    workBytes += ids.count * Self.bytesPerEndedRequest
    for id in ids {
      let text = JSONText.padded(id)
      takeBack(ByteRange(0..<id.count), in: text.span, of: client.slot)
    }
    return true
  }

  private mutating func takeBack(_ id: ByteRange, in bytes: Span<UInt8>, of client: Int) {
    guard let waiter = newest(withID: id, in: bytes, of: client) else { return }
    guard lanes.isRemote(waiter) else {
      _ = cancel(waiter)
      return
    }
    guard !peers.call(of: waiter).isParked else { return refuse(waiter, .cancelled, isSent: false) }
    peers.takeBack(waiter)
  }

  /// Ends POSTs, and sessions of them, from outside: their requests are cancelled and answered, then they close.
  mutating func endPosts() {
    while let post = edge.endingPost {
      takeBack(of: post)
      edge.endPost()
    }
  }

  /// A POST is closed at work: all that it asked is taken back, and it hears so, with what upstream may have done.
  /// Other loops hear that it is gone.
  private mutating func takeBack(of client: Int) {
    let waiters = edge.openRequests(of: client)
    let remote = waiters.filter { lanes.isRemote($0) }
    lanes.cancel(waiters.filter { !lanes.isRemote($0) })
    performEffects()
    for waiter in remote { refuse(waiter, .cancelled, isSent: !peers.call(of: waiter).isParked) }
    edge.markDirty(client)
  }

  /// A connection leaves all its tasks. That is one event, so that nothing of it starts because something else of it has
  /// ended.
  private mutating func leaveTasks(of client: Int) {
    var waiters: [WaiterID] = []
    while let waiter = edge.newestRequest(of: client) {
      if lanes.isRemote(waiter) {
        forgetRemote(waiter)
        continue
      }
      edge.counters.abandoned += 1
      if lanes.journal.isOpen { lanes.note(.abandoned, lanes.task(of: waiter), of: client) }
      edge.forgetCaller(waiter)
      waiters.append(waiter)
    }
    let notifications = lanes.unsentNotifications(of: edge.account(of: client))
    guard !(waiters.isEmpty && notifications.isEmpty) else { return }
    workBytes += (waiters.count + notifications.count) * Self.bytesPerEndedRequest
    lanes.disconnect(waiters, notifications)
    performEffects()
  }

  /// Its client is gone: what it asked for drains as long as the operator has it.
  private mutating func endLongDrains(of account: Int) {
    while lanes.endLongDrains(of: account) {
      workBytes += Self.bytesPerEndedRequest
      performEffects()
    }
  }

  /// Whether a client that sends no more has been answered all, its notifications have been sent, and its own upstreams
  /// have heard all that it sent, and have said the last.
  func hasEndedAll(_ client: Int) -> Bool {
    guard edge.isAnswered(client), !edge.hasUnsent(client) else { return false }
    return edge.ownUpstreams(of: client).allSatisfy { upstreams.hasDoneAll($0) }
  }

  // MARK: Output

  /// Writes what need not, or must not, wait for the turn's end. To be called between events.
  package mutating func flushEarly<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    // Mostly there is nothing of that.
    if !edge.hasHeldUp && !upstreams.hasEarly && !edge.hasBurst
      && edge.dirtyCount < min(configuration.unflushedClients, Self.soonWrittenClients)
    {
      return
    }
    if let slot = edge.takeHeldUp() { setReading(slot, into: &sink) }
    if edge.hasBurst || edge.dirtyCount >= configuration.unflushedClients || isToWriteSoon {
      peers.noteEarlyWrite()
      flushClients(into: &sink)
    }
    if let upstream = upstreams.flushEarlySession(into: &sink) {
      setReadingOfClient(of: upstream, into: &sink)
    }
  }

  /// Where there is more to do than there is time, writing must not come on top of that: the turn is measured with it.
  private var isToWriteSoon: Bool { holdsInput && edge.dirtyCount >= Self.soonWrittenClients }

  private static let soonWrittenClients = 8

  mutating func flushClients<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    if edge.dirtyCount == 0 { return }
    // Flushing one client may end it, and what that leads to may make others dirty: they come behind.
    var index = 0
    while index < edge.dirtyCount {
      flushClient(edge.dirtyClient(index), into: &sink)
      index += 1
    }
    edge.forgetDirty()
  }

  @inline(__always)
  private mutating func flushClient<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    guard let written = edge.write(to: slot, into: &sink), !edge.isWritten(slot, written) else { return }
    follow(written, of: slot, into: &sink)
  }

  @inline(never)
  private mutating func follow<Sink: GatewaySink & ~Copyable>(
    _ written: Edge.Written, of slot: Int, into sink: inout Sink
  ) {
    if edge.isOwedReply(slot) { return takeBack(of: slot) }
    let isOver = edge.isOver(slot, written)
    if isOver || written.unsent == 0 && hasEndedAll(slot) {
      edge.close(slot, into: &sink)
      remove(slot, isOrderly: !isOver)
    } else {
      edge.pauseOrResume(slot, written.unsent)
      setReading(slot, into: &sink)
      edge.waitAfter(written, for: slot)
    }
  }

  /// A client is not read while some of its input is held.
  private mutating func setReading<Sink: GatewaySink & ~Copyable>(_ slot: Int, into sink: inout Sink) {
    edge.setReading(
      slot, waitsForUpstream: edge.waitsForUpstreams(slot) && waitsForUpstream(slot), into: &sink)
  }

  /// Whether an upstream of its own is behind with what it was sent.
  private func waitsForUpstream(_ client: Int) -> Bool {
    let isStopped = edge.isReadingStopped(client)
    return edge.ownUpstreams(of: client).contains { upstreams.isBehind($0, isStopped: isStopped) }
  }

  /// A client that waits for its own upstreams is read from as they take what it sends.
  mutating func setReadingOfClient<Sink: GatewaySink & ~Copyable>(of upstream: Int, into sink: inout Sink) {
    let client = upstreams.client(of: upstream)
    guard client >= 0, !upstreams.isClosed(upstream), edge.waitsForUpstreams(client) else { return }
    setReading(client, into: &sink)
    edge.wait(for: client, hasAdvanced: false)
  }
}
