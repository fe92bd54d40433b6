import HotData
import Identity
import JSONRPC
import TaskStore

/// Client connections and their requests.
extension Edge {
  // MARK: Coming and going

  /// A new connection.
  /// - Parameter credential: what is known of it before it has said anything.
  mutating func connect(listener: Int, _ credential: Credential?, account: Int, as kind: ClientKind) -> Int {
    if kind == .exchange { counters.clientExchanges += 1 } else { counters.clientConnections += 1 }
    connectionsSoFar += loop.count
    let options = options(ofListener: listener, kind)
    let principal = principal(options, credential)
    let framer = MessageFramer(
      limitBytes: messageLimitBytes(of: principal, kind), framing: kind == .stream ? nil : .lines,
      knowsHeaders: kind == .stream && protocols(ofListener: listener).contains(.contentLength))
    let session = ClientSession(
      framer: framer, output: OutputQueue(pool: blocks),
      listener: listener, options, principal: principal, account: account, number: connectionNumber)
    let slot = clients.insert(session)
    if kind == .exchange { exchangeCount += 1 }
    if options.asksWho { noteArrival(of: slot, credential) }
    decideWait(for: slot, hasAdvanced: false)
    return slot
  }

  /// The number of the newest connection: no two in the process have the same.
  private var connectionNumber: UInt64 { UInt64(connectionsSoFar - loop.count + 1 + loop.number) }

  func options(ofListener listener: Int, _ kind: ClientKind) -> ListenerOptions {
    var options = options(ofListener: listener)
    options.kind = kind
    options.takesAnswersOnly = kind == .exchange
    options.isLookedAt = options.asksWho || !loop.isAlone
    if kind == .exchange {
      options.isLookedAt = options.isLookedAt || hasPlacesForPosts
      options.cancelsAtEnd = false
      options.opensUpstreams = false
    }
    return options
  }

  func options(ofListener listener: Int) -> ListenerOptions {
    listener < configuration.listeners.count ? configuration.listeners[listener] : ListenerOptions()
  }

  private func protocols(ofListener listener: Int) -> ClientProtocols.Kinds {
    let clients = configuration.server.clients
    return listener < clients.count ? clients[listener].protocols : .all
  }

  /// Whether there is no room for one more connection. An exchange comes over one that the shell has counted.
  func isFull(for listener: Int, _ credential: Credential?, _ kind: ClientKind) -> Bool {
    if kind != .exchange && hasAllConnections { return true }
    return isFullOfSuch(listener, credential, kind)
  }

  /// The same, however many connections there are in all.
  func isFullOfSuch(_ listener: Int, _ credential: Credential?, _ kind: ClientKind) -> Bool {
    let principal = principal(options(ofListener: listener), credential)
    guard principal.isUnknown else { return isFull(principal) }
    return kind != .exchange && unknownCount + unknownOfShell >= configuration.unauthenticatedConnections
  }

  /// Whether the bound on connections is reached.
  var hasAllConnections: Bool { connectionCount + connectionsElsewhere >= configuration.connections }

  /// Connections of clients, those included that the shell has.
  var connectionCount: Int { clients.count - exchangeCount - mirrorCount + connectionsOfShell }

  mutating func noteConnectionsOfShell(_ count: Int) { connectionsOfShell = count }
  mutating func noteUnknownOfShell(_ count: Int) { unknownOfShell = count }

  /// The client has sent its last byte; returns whether something of it is held, behind which that comes.
  mutating func noteLast(of client: Int) -> Bool {
    guard let held = clients[client].held else { return false }
    held.isLast = true
    return true
  }

  /// The client sends no more.
  mutating func end(_ client: Int) {
    clients[client].hasEnded = true
    wait(for: client, hasAdvanced: false)
    markDirty(client)
  }

  /// The connection is gone, and nobody waits for anything of it any more.
  mutating func remove(_ client: Int) {
    forgetHeld(of: client)
    inputBytes -= clients[client].inputBytes
    forgetTransport(of: client)
    timeouts.end(clients[client].waitsFor, for: client)
    if !clientsToldOf.isEmpty { clientsToldOf.remove(client) }
    if isMirror(client) { mirrorCount -= 1 } else if isExchange(client) { exchangeCount -= 1 }
    if isExchange(client) { sessions.remove(client) }
    if clients[client].listener.asksWho { noteDeparture(of: client) }
    clients.remove(client)
  }

  /// It gets the answers that are left, then it closes.
  mutating func leave(_ client: Int) {
    clients[client].goOn(to: .leaving)
    markDirty(client)
  }

  // MARK: Sessions of POSTs

  /// A POST names a session: keys of scope `connection`, groups and ids are those of all that name the same one.
  mutating func name(_ client: Int, session text: [UInt8]) {
    sessions.note(client, text)
    joinSession(client)
  }

  /// A POST's session counts once its principal is known, which may be only now.
  mutating func joinSession(_ client: Int) {
    guard !sessions.isEmpty, !isUnknown(client) else { return }
    let first = sessions.join(
      client, listener: clients[client].listenerNumber, principal: clients[client].principal.number)
    if let first { clients[client].number = clients[first].number }
  }

  /// Whether nobody shares ids and groups with another.
  var hasNoSessions: Bool { sessions.isEmpty }

  /// Clients with whom this one shares ids and groups, itself included.
  func session(of client: Int) -> [Int] {
    sessions.isEmpty ? [client] : sessions.members(with: client)
  }

  /// The session whose requests may overtake each other; nil: this client is the only one of its session.
  func sessionName(of client: Int) -> SessionName? {
    guard isExchange(client) else { return SessionName(connection: clients[client].number) }
    return sessions.text(of: client).map {
      SessionName(
        listener: clients[client].listenerNumber, principal: clients[client].principal.number, text: $0,
        hash: sessionHash)
    }
  }

  // MARK: What is asked of a client

  @inline(__always)
  func isReading(_ client: Int) -> Bool { clients[client].isReading }
  @inline(__always)
  func discardedCount(of client: Int) -> Int { clients[client].framer.discardedCount }
  func account(of client: Int) -> Int { clients[client].account }
  func isLeaving(_ client: Int) -> Bool { clients[client].isLeaving }
  func hasEnded(_ client: Int) -> Bool { clients[client].hasEnded }
  func isGivenUp(_ client: Int) -> Bool { clients[client].isGivenUp }
  func cancelsAtEnd(_ client: Int) -> Bool { clients[client].listener.cancelsAtEnd }
  @inline(__always)
  func isExchange(_ client: Int) -> Bool { clients[client].listener.kind == .exchange }
  func opensUpstreams(_ client: Int) -> Bool { clients[client].listener.opensUpstreams }
  func unansweredCount(of client: Int) -> Int { clients[client].unanswered }
  /// Whether it sends no more and has been answered all.
  func isAnswered(_ client: Int) -> Bool { clients[client].hasEnded && clients[client].unanswered == 0 }
  @inline(__always)
  func isAtABound(_ client: Int) -> Bool {
    clients[client].unanswered >= configuration.unansweredPerConnection
  }
  /// The same for requests to other loops. Requests that the gateway answers itself have as much room once more:
  /// cancels make some.
  /// - Parameter isOwn: the gateway answers it itself.
  func isAtABound(_ client: Int, isOwn: Bool) -> Bool {
    clients[client].unanswered >= (isOwn ? 2 : 1) * configuration.unansweredPerConnection
  }
  func isInBatch(_ waiter: WaiterID) -> Bool { callers[waiter].sender.batch >= 0 }
  func client(of waiter: WaiterID) -> Int { callers[waiter].sender.client }
  /// Whether a POST is closing while a request of it is still at work: it gets that reply before it closes. An array
  /// that was begun is read to its end first.
  func isOwedReply(_ client: Int) -> Bool {
    clients[client].state == .closing && isExchange(client) && !clients[client].isGivenUp
      && clients[client].held?.array == nil && clients[client].unanswered > 0
  }
  func hasUnsent(_ client: Int) -> Bool { clients[client].hasUnsent || clients[client].isHeldUp }
  func isHeldUp(_ client: Int) -> Bool { clients[client].isHeldUp }
  func hasTakenAll(_ client: Int) -> Bool { clients[client].output.isEmpty }
  /// Whether so much of its output is unread that it should not be given long answers.
  func isBehind(_ client: Int) -> Bool {
    clients[client].unsentByteCount > configuration.clientOutputSoftBytes
  }

  // MARK: Reading

  @inline(__always)
  mutating func nextFrame(
    in chunk: Span<UInt8>, count: Int, from offset: inout Int, of client: Int
  ) -> MessageFrame {
    clients[client].framer.next(in: chunk, count: count, from: &offset)
  }

  mutating func takeAssembled(of client: Int) -> AssembledMessage {
    checkPart(from: client)
    return clients[client].framer.takeAssembled()
  }

  mutating func recycle(_ message: consuming AssembledMessage, of client: Int) {
    clients[client].framer.recycle(message)
  }

  /// The kind of a client's last text, now that a message comes from it.
  @inline(__always)
  mutating func takeLastText(of client: Int) -> LastText {
    let last = clients[client].lastText
    clients[client].lastText = .message
    return last
  }

  mutating func refuseHeader(of client: Int) {
    refuseMessage(.parseError.with(message: "bad header"), from: Sender(client: client))
    clients[client].goOn(to: .closing)
  }

  // MARK: Upstreams of its own

  func ownUpstreams(of client: Int) -> [Int] { clients[client].ownUpstreams }
  mutating func addOwnUpstream(_ slot: Int, to client: Int) { clients[client].addOwnUpstream(slot) }
  func removeOwnUpstream(_ slot: Int, of client: Int) { clients[client].removeOwnUpstream(slot) }

  /// An upstream of its own was told that it sends no more, and is listened to until then; 0: no longer.
  func listen(to upstream: Int, until milliseconds: UInt64, for client: Int) {
    clients[client].listen(to: upstream, until: milliseconds)
  }

  // MARK: Requests

  /// Remembers whose request a waiter is.
  @inline(__always)
  mutating func addCaller(
    _ waiter: WaiterID, _ envelope: Envelope, in bytes: Span<UInt8>, group: Int, from sender: Sender
  ) {
    callers.add(
      waiter, id: envelope.id, in: bytes, sender, group: group,
      to: &clients[sender.client].openRequests)
    if hasPrincipal(sender.client) { count(callers: 1, ofPrincipalOf: sender.client) }
    if sender.batch >= 0 { batches[sender.batch].awaited += 1 }
  }

  /// The newest open request of a client with this id.
  mutating func newest(withID id: ByteRange, in bytes: Span<UInt8>, of client: Int) -> WaiterID? {
    callers.newest(withID: id, in: bytes, of: client, among: &clients[client].openRequests)
  }

  /// Its open requests, oldest first.
  func openRequests(of client: Int) -> [WaiterID] { callers.waiters(among: clients[client].openRequests) }

  /// Its newest open request; nil: there is none.
  func newestRequest(of client: Int) -> WaiterID? {
    clients[client].openRequests.isEmpty ? nil : clients[client].openRequests.newest
  }

  func waiters(ofGroup label: Label, in bytes: Span<UInt8>, of client: Int) -> [WaiterID] {
    targets.groups.withBytes(of: label, in: bytes) { callers.waiters(ofGroup: $0, of: client) } ?? []
  }

  var targetKeys: LabelReader { targets.keys }
  var targetGroups: LabelReader { targets.groups }

  // MARK: Notifications

  /// Whether notifications of a client wait to be sent; returns whether it has waited for that to change.
  mutating func setUnsent(_ client: Int, _ hasUnsent: Bool) -> Bool {
    clients[client].hasUnsent = hasUnsent
    guard !hasUnsent, clients[client].hasEnded else { return false }
    markDirty(client)
    return true
  }

  /// Whether something of a mirror's client waits for its partition. A mirror that has ended stays for that.
  mutating func setHeldUp(_ mirror: Int, _ isHeldUp: Bool) {
    clients[mirror].isHeldUp = isHeldUp
    if !isHeldUp, clients[mirror].hasEnded { markDirty(mirror) }
  }

  /// A long message is checked while it comes: at its end that would hold up all others.
  @inline(never)
  mutating func checkPart(from slot: Int) {
    clients[slot].framer.check(
      from: configuration.checkedPartBytes, nestingLevels: configuration.scan.nestingLevels)
  }

  /// Forgets whose request a waiter was: it has been answered, or its connection is gone.
  @inline(__always)
  mutating func forgetCaller(_ waiter: WaiterID) {
    let sender = callers[waiter].sender
    guard sender.batch < 0, !hasPrincipal(sender.client), configuration.idleMilliseconds == 0 else {
      return forgetUnusualCaller(waiter, sender)
    }
    callers.remove(waiter, from: &clients[sender.client].openRequests)
  }

  @inline(never)
  private mutating func forgetUnusualCaller(_ waiter: WaiterID, _ sender: Sender) {
    callers.remove(waiter, from: &clients[sender.client].openRequests)
    if hasPrincipal(sender.client) { count(callers: -1, ofPrincipalOf: sender.client) }
    if configuration.idleMilliseconds > 0 { wait(for: sender.client, hasAdvanced: false) }
    if sender.batch >= 0 { release(sender.batch) }
  }

  /// What a request of ours is about; nil when it does not say so and was refused.
  mutating func target(
    _ bytes: Span<UInt8>, _ envelope: Envelope, keyOnly: Bool, from sender: Sender
  ) -> TaskTarget? {
    do throws(RPCError) {
      return try targets.read(envelope.params, keyOnly: keyOnly, in: bytes)
    } catch {
      refuseMessage(error, of: envelope, in: bytes, from: sender)
      return nil
    }
  }

  func error(_ reason: Refusal.Reason, to sender: Sender) -> RPCError {
    if case .superseded = reason, clients[sender.client].listener.hidesSupersession {
      return RPCError(code: RPCError.contentModified.code, message: RPCError.superseded.message)
    }
    if case .badAnswer(let fault) = reason { return badAnswer(fault) }
    return reason.error
  }

  private func badAnswer(_ fault: Refusal.BadAnswer) -> RPCError {
    guard fault != .unreadable else { return .badAnswer }
    return .badAnswer.with(message: "upstream's answer is \(excess(fault))")
  }

  /// The error for an upstream's faulty question.
  func badMessage(_ fault: Refusal.BadAnswer) -> RPCError {
    let error = fault == .tooLong ? RPCError.tooLarge : .parseError
    return error.with(message: "\(error.message): \(excess(fault))")
  }

  private func excess(_ fault: Refusal.BadAnswer) -> String {
    switch fault {
    case .tooLong: "longer than messageBytes (\(configuration.messageLimitBytes))"
    case .longPiece: "in pieces longer than pieceBytes (\(configuration.pieceBytes))"
    case .manyPieces: "in more pieces than piecesPerTask (\(configuration.piecesPerTask))"
    case .tooDeep, .unreadable: "nested deeper than nestingLevels (\(configuration.upstreamNestingLevels))"
    }
  }

  /// Whether nobody is there any more: or only to read what is left for it.
  func wantsNothing(_ client: Int) -> Bool {
    client < 0 || clients[client].hasEnded && clients[client].listener.cancelsAtEnd
  }
}
