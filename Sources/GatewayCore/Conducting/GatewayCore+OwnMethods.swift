import HotData
package import JSONRPC
import TaskStore

/// The methods that the gateway answers itself.
extension GatewayCore {
  // MARK: Cancelling

  /// `$/cancelRequest`: takes back the newest open request of this connection with that id, if there is one. It
  /// should be a notification; sent as a request it is answered, as every request is.
  mutating func cancelRequest(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    guard mayTakeBack(bytes, envelope, from: sender) else { return }
    if let id = CancelledID.member("id", of: envelope, in: bytes) {
      countTakenBack(cancel(id, in: bytes, of: sender.client), by: sender.client)
    }
    edge.answerNull(to: envelope, in: bytes, of: sender)
  }

  /// `lastword.cancel`: every request it reaches hears that it was cancelled; the result counts them.
  mutating func cancelTasks(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    guard let target = edge.target(bytes, envelope, keyOnly: false, from: sender),
      edge.mayCancel(target, bytes, envelope, from: sender), mayTakeBack(bytes, envelope, from: sender)
    else { return }
    let cancelled = takeBack(target, in: bytes, of: sender.client)
    edge.answer(Self.cancelled(cancelled), to: envelope, in: bytes, of: sender)
  }

  private mutating func takeBack(_ target: TaskTarget, in bytes: Span<UInt8>, of client: Int) -> Int {
    let cancelled = cancel(target, in: bytes, of: client)
    countTakenBack(cancelled, by: client)
    audit(target, cancelled, bytes, of: client)
    return cancelled
  }

  /// Cancels at this loop the target of a request for several loops; returns how many requests that ended.
  mutating func cancelHere(_ bytes: Span<UInt8>, _ envelope: Envelope, of client: Int) -> Int {
    guard let target = edge.knownTarget(bytes, envelope, keyOnly: false) else { return 0 }
    return takeBack(target, in: bytes, of: client)
  }

  /// What reaches others' requests is noted.
  private mutating func audit(_ target: TaskTarget, _ count: Int, _ bytes: Span<UInt8>, of client: Int) {
    guard edge.isAudited, count > 0 else { return }
    switch target {
    case .key(let label, _):
      edge.note(.cancelled(label: edge.text(ofKey: label, in: bytes), isKey: true, count: count), of: client)
    case .group(let label, .principal):
      edge.note(
        .cancelled(label: edge.text(ofGroup: label, in: bytes), isKey: false, count: count), of: client)
    case .id, .group: break
    }
  }

  private mutating func cancel(_ target: TaskTarget, in bytes: Span<UInt8>, of client: Int) -> Int {
    switch target {
    case .id(let id): return cancel(id, in: bytes, of: client)
    case .key(let label, let scope):
      let namespaces = namespaces(scope, of: client)
      let found = find(label, namespaces, in: bytes)
      return countingCancelled { core in
        for key in found { core.lanes.cancel(in: key) }
        if core.lanes.hasPutOff { core.cancelPutOff(ofKey: label, in: bytes, namespaces) }
      }
    case .group(let label, let scope):
      // The client that asks pays for the walk over all connections.
      if scope == .principal { share.spend(messages: edge.clientCount / Self.clientsPerMessage) }
      let clients = scope == .principal ? edge.fellows(of: client) : edge.session(of: client)
      let waiters = clients.flatMap { edge.waiters(ofGroup: label, in: bytes, of: $0) }
      guard !waiters.isEmpty || lanes.hasPutOff else { return 0 }
      let remote = waiters.filter { lanes.isRemote($0) }
      let own = remote.isEmpty ? waiters : waiters.filter { !lanes.isRemote($0) }
      return countingCancelled { core in
        core.lanes.cancel(own)
        core.cancelRemote(remote)
        if core.lanes.hasPutOff { core.cancelPutOff(ofGroup: label, in: bytes, of: clients) }
      }
    }
  }

  /// To look at so many takes as long as to handle a message.
  static let clientsPerMessage = 256

  mutating func cancel(_ id: ByteRange, in bytes: Span<UInt8>, of client: Int) -> Int {
    guard let waiter = newest(withID: id, in: bytes, of: client) else { return 0 }
    guard !lanes.isRemote(waiter) else {
      if peers.call(of: waiter).isParked {
        refuse(waiter, .cancelled, isSent: false)
        return 1
      }
      // Nobody hears how many that are.
      var notification = Envelope()
      notification.isNotification = true
      cancelRemote(waiter, bytes, notification, isCounted: false, from: Sender(client: client))
      return 0
    }
    return cancel(waiter)
  }

  mutating func cancel(_ waiter: WaiterID) -> Int {
    countingCancelled { core in core.lanes.cancel(waiter) }
  }

  mutating func newest(withID id: ByteRange, in bytes: Span<UInt8>, of client: Int) -> WaiterID? {
    // A list would be made for each request that takes pieces.
    if edge.hasNoSessions { return newest(withID: id, in: bytes, ofMember: client) }
    let members = edge.session(of: client)
    // The client that asks pays for the walk over its session.
    share.spend(messages: members.count / Self.clientsPerMessage)
    for member in members {
      if let waiter = newest(withID: id, in: bytes, ofMember: member) { return waiter }
    }
    return nil
  }

  private mutating func newest(withID id: ByteRange, in bytes: Span<UInt8>, ofMember member: Int) -> WaiterID?
  {
    // Mirrors have other ids.
    guard !edge.isMirror(member), let waiter = edge.newest(withID: id, in: bytes, of: member),
      peers.canBeTakenBack(waiter)
    else { return nil }
    return waiter
  }

  private mutating func countingCancelled(_ event: (inout GatewayCore) -> Void) -> Int {
    let before = edge.counters.cancelled
    event(&self)
    performEffects()
    return Int(edge.counters.cancelled - before)
  }

  /// Where a message of a client's says by its id which request of its own it takes back; nil: it takes none back so.
  package mutating func idTakenBack(by envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    switch OwnMethod(envelope, in: bytes) {
    case .cancel, .cancelRequest: return CancelledID.member("id", of: envelope, in: bytes)
    case .call:
      let limitBytes = configuration.scan.methodBytes
      guard let inner = try? WrappedCall.unwrap(envelope, in: bytes, methodBytes: limitBytes) else {
        return nil
      }
      return idTakenBack(by: inner, in: bytes)
    case .foreign:
      guard envelope.isNotification else { return nil }
      let route = edge.route(of: envelope, in: bytes)
      return edge.idTakenBack(envelope, in: bytes, at: edge.upstream(of: route))
    case .ping, .inspect, .discover, .authenticate, .unknown: return nil
    }
  }

  // MARK: Who it is

  /// `lastword.authenticate`: what waits for that happens when a connection is known.
  mutating func authenticate(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    if edge.hasAllIssued { forgetIssuedPrincipals() }
    if edge.hasIssuers {
      share.spend(messages: Self.messagesPerSignature)
      workBytes += Self.bytesPerSignature
    }
    guard edge.authenticate(bytes, envelope, from: sender) else { return }
    noteWho(sender.client)
    if edge.opensUpstreams(sender.client) { openUpstreams(for: sender.client) }
  }

  /// To check a signature takes as long as to handle so many messages.
  private static let messagesPerSignature = 32
  /// And to read so many bytes of a long message: a few are enough for a turn, whoever sends them.
  private static let bytesPerSignature = 128 * 1024

  /// Looks at all clients and keys, and so once a second at most.
  mutating func forgetIssuedPrincipals() {
    guard nowMilliseconds >= nextForgettingMilliseconds else { return }
    nextForgettingMilliseconds = nowMilliseconds + 1_000
    for number in edge.forgetIssued(keysIn: lanes.namespaces, busy: lanes.busyPrincipals) {
      lanes.forget(principal: number)
    }
  }

  // MARK: Looking

  /// `lastword.inspect`: what is in a key's lane, the newest task first.
  mutating func inspect(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let target = edge.target(bytes, envelope, keyOnly: true, from: sender)
    guard case .key(let label, let scope) = target else { return }
    let found = find(label, namespaces(scope, of: sender.client), in: bytes)
    answerAtLength(envelope, in: bytes, of: sender) { $0.lanes.description(of: found) }
  }

  /// Describes this loop's tasks of a key, for a request that is about other loops, too.
  mutating func descriptionHere(_ bytes: Span<UInt8>, _ envelope: Envelope, of client: Int) -> [UInt8] {
    guard case .key(let label, let scope)? = edge.knownTarget(bytes, envelope, keyOnly: true) else {
      return lanes.description(of: [])
    }
    return lanes.description(of: find(label, namespaces(scope, of: client), in: bytes))
  }

  /// The existing lanes that a client means. Without a scope these are its listener's and its own; its own has all
  /// tasks for upstreams of its own.
  private func find(_ label: Label, _ namespaces: [Namespace], in bytes: Span<UInt8>) -> [TaskKey] {
    namespaces.compactMap {
      lanes.lane(of: label, readBy: edge.targetKeys, in: bytes, namespace: $0)
    }
  }

  private func namespaces(_ scope: TaskIntent.Scope?, of client: Int) -> [Namespace] {
    let usual = edge.namespace(scope, of: client)
    let own = edge.namespace(.connection, of: client)
    return scope == nil && usual != own ? [usual, own] : [usual]
  }

  // MARK: Long answers

  /// Answers a short request with something hundreds of times as long. A client that does not read its answers is
  /// refused.
  mutating func answerAtLength(
    _ envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender,
    _ result: (borrowing GatewayCore) -> [UInt8]
  ) {
    guard mayAnswerAtLength(envelope, in: bytes, of: sender) else { return }
    let result = result(self)
    share.spend(outputBytes: result.count)
    edge.answer(result, to: envelope, in: bytes, of: sender)
  }

  /// Whether a client may get a long answer; else it has been refused.
  mutating func mayAnswerAtLength(
    _ envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender
  ) -> Bool {
    guard edge.isBehind(sender.client) else { return true }
    let error = RPCError.overloaded.with(message: "too much unread output for so long an answer")
    edge.refuseMessage(error, of: envelope, in: bytes, from: sender)
    return false
  }
}
