import HotData
import JSONRPC
import TaskStore

/// Admits requests for upstream: the edge reads what a request wants, the lanes decide, the upstreams expect the task.
extension GatewayCore {
  /// Admits a request of a listener that asks no client for authentication.
  @inline(never)
  mutating func admit(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    admit(bytes, envelope, from: sender, isPrincipals: false, isPosts: false)
  }

  /// Of a POST, for which some upstreams have another in their place; or of a principal's, which has rules and quotas.
  /// Both in one, for it is long.
  @inline(never)
  mutating func admitLookedAt(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender, isPrincipals: Bool
  ) {
    admit(bytes, envelope, from: sender, isPrincipals: isPrincipals, isPosts: true)
  }

  /// - Parameters:
  ///   - isPrincipals: false as a constant for all other clients, which so pay nothing for principals' rules.
  ///   - isPosts: the same of POSTs; where it is true it may be no POST.
  @inline(__always)
  private mutating func admit(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender, isPrincipals: Bool, isPosts: Bool
  ) {
    let route = edge.route(of: envelope, in: bytes)
    var place = edge.upstream(of: route)
    var terms = upstreams.terms(of: place)
    if takesBack(envelope, in: bytes, at: place, terms, from: sender) { return }
    if isPosts, terms.isPerConnection, let other = placeForPosts(place, of: sender.client) {
      place = other
      terms = upstreams.terms(of: place)
      if takesBack(envelope, in: bytes, at: place, terms, from: sender) { return }
    }
    var intent = edge.usualIntent
    do throws(RPCError) {
      try edge.read(envelope, route, isPerConnection: terms.isPerConnection, in: bytes, into: &intent)
    } catch {
      return edge.refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    guard
      !isPrincipals
        || edge.mayUse(&intent, isPerConnection: terms.isPerConnection, bytes, envelope, from: sender)
    else { return }
    if !intent.said.isDisjoint(with: .checkedApart),
      let error = fault(
        intent, envelope, route, isPerConnection: terms.isPerConnection, in: bytes, from: sender)
    {
      return edge.refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    if terms.hasTokens, let error = adapt(&intent, to: terms, envelope, in: bytes) {
      return edge.refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    let account = edge.account(of: sender.client)
    edge.countRequest(envelope)
    let upstream: Int
    do throws(RPCError) {
      upstream = try upstreamAtTheDoor(place, terms, from: sender.client)
    } catch {
      return reject(error, envelope, intent.admission, .init(error), in: bytes, from: sender)
    }
    if isPrincipals, let overload = rateExceeded(by: account) {
      return reject(overload, envelope, intent.admission, in: bytes, from: sender)
    }
    let handling = route < 0 ? terms.handling : upstreams.handling(at: upstream, edge.wishes(of: route))
    if intent.said.contains(.order), rejectsOvertaken(intent, envelope, in: bytes, from: sender) { return }
    intent.admission.isNotification = envelope.isNotification
    intent.admission.endsOnCancel = handling.endsOnCancel
    intent.admission.isCompensated = handling.compensation >= 0
    let traceBytes = terms.passesTraces ? intent.traceparent.count : 0
    let asked = envelope.method.count &+ envelope.params.count &+ traceBytes
    if isAtABound(asking: asked, at: upstream, of: account, from: sender, isPrincipals: isPrincipals),
      let overload = boundExceeded(
        by: &intent, envelope, asking: asked, in: bytes, at: upstream, from: sender)
    {
      return reject(overload, envelope, intent.admission, in: bytes, from: sender)
    }
    var outdates = false
    if terms.isPerConnection, outdatesHeldBack(envelope, in: bytes) {
      outdates = true
      endHeldBack(at: upstream)
    }
    // Behind that: what a notification outdates counts as superseded, but is not charged.
    let supersededBefore = isPrincipals ? edge.counters.supersededCallers : 0
    if intent.admission.key == nil { intent.admission.key = intern(intent, in: bytes, of: sender.client) }
    if !intent.admission.join.isNever {
      compareWithNewest(envelope, in: bytes, for: &intent.admission, streams: edge.streams(intent))
    }
    if intent.said.contains(.followed) {
      lanes.takeKind(for: &intent.admission, envelope, in: bytes, streams: edge.streams(intent))
    }
    let group = edge.internGroup(intent.group, in: bytes, of: sender.client)
    switch lanes.submit(intent.admission) {
    case .admitted(let task, let waiter):
      let party = isPrincipals && !terms.isPerConnection ? lanes.party(of: account) : account
      upstreams.expect(task.slot, envelope, at: upstream, handling, terms, of: party)
      lanes.keep(
        task, bytes, envelope, intent, handling, terms, of: account, byteCount: asked,
        isPrincipals: isPrincipals)
      if envelope.isNotification { noteUnsent(task.slot, of: sender.client) }
      if let waiter { addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender) }
      if !intent.said.isDisjoint(with: .noted) {
        if intent.said.contains(.followed) { keepKind(of: intent.admission, task, waiter) }
        noteSaid(intent, of: task, waiter, route, in: bytes, from: sender)
        if terms.hasTokens {
          let hasOwnTime = intent.said.contains(.timeout)
          if terms.isPerConnection {
            noteOwn(
              task, waiter, envelope, route, hasOwnTime: hasOwnTime, in: bytes, at: upstream,
              outdates: outdates)
          } else {
            notePassedTokens(of: task, waiter, envelope, route, hasOwnTime: hasOwnTime, in: bytes)
          }
        }
      }
      if lanes.journal.isOpen { noteAdmission(of: task, intent.admission, from: sender.client) }
      if isPosts, terms.relaysNotifications, let waiter {
        noteProgressTimes(of: waiter, route, hasOwnTime: intent.said.contains(.timeout))
      }
    case .joined(let task, let waiter):
      edge.counters.joined += 1
      if intent.said.contains(.followed) { keepKind(of: intent.admission, task, waiter) }
      if lanes.journal.isOpen { noteJoining(of: task, from: sender.client) }
      addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender)
      if intent.said.contains(.stream) { notePieceTimes(of: waiter, intent, route) }
      if intent.said.contains(.order) {
        noteOrder(of: intent, asking: task, isNew: false, in: bytes, from: sender)
      }
      if terms.hasTokens {
        noteJoining(waiter, of: task, route, hasOwnTime: intent.said.contains(.timeout), at: upstream)
      }
      if isPosts, terms.relaysNotifications {
        noteProgressTimes(of: waiter, route, hasOwnTime: intent.said.contains(.timeout))
      }
    case .busy:
      giveBackKind(of: intent.admission)
      reject(.busy, envelope, intent.admission, .busy, in: bytes, from: sender)
    case .overloaded(let bound):
      giveBackKind(of: intent.admission)
      reject(Overload(bound).error, envelope, intent.admission, .overloaded, in: bytes, from: sender)
    }
    edge.releaseIfEmpty(group)
    performAdmission()
    if isPrincipals { countSuperseded(since: supersededBefore, of: account) }
  }

  /// A valid request does not become a task.
  private mutating func reject(
    _ error: RPCError, _ envelope: Envelope, _ admission: Admission, _ rejection: TaskEvent.Rejection,
    in bytes: Span<UInt8>, from sender: Sender
  ) {
    note(rejection, admission, from: sender)
    edge.reject(error, envelope, in: bytes, from: sender)
  }

  /// A valid request is beyond a bound.
  @inline(never)
  private mutating func reject(
    _ overload: Overload, _ envelope: Envelope, _ admission: Admission, in bytes: Span<UInt8>,
    from sender: Sender
  ) {
    note(.overloaded, admission, from: sender)
    if overload.isOfPrincipal { noteRefusal(overload, ofPrincipalOf: sender.client) }
    edge.reject(overload, envelope, in: bytes, from: sender)
  }

  /// A task was admitted for an upstream of its client's own.
  @inline(never)
  private mutating func noteOwn(
    _ task: TaskID, _ waiter: WaiterID?, _ envelope: Envelope, _ route: Int, hasOwnTime: Bool,
    in bytes: Span<UInt8>, at upstream: Int, outdates: Bool
  ) {
    upstreams.noteOrder(
      of: task.slot, generation: lanes.generation(of: task), isQueued: lanes.isQueued(task), at: upstream,
      outdates: outdates)
    guard let waiter else { return }
    noteTokens(of: task, waiter, envelope, route, hasOwnTime: hasOwnTime, in: bytes, at: upstream)
  }

  /// Whether this is a notification that takes back a request of the same connection, as the Model Context Protocol or
  /// the upstream has it. It names the request by the client's id, and upstream knows that id of somebody else's: it is
  /// never forwarded, and upstream hears of it in its own way. What else has such a name is refused.
  @inline(__always)
  private mutating func takesBack(
    _ envelope: Envelope, in bytes: Span<UInt8>, at place: Int, _ terms: UpstreamTerms, from sender: Sender
  ) -> Bool {
    let mayCancel = terms.hasSharedCancelMethod || envelope.method.count >= CancelledID.leastBytes
    guard envelope.isNotification else {
      return mayCancel && isRefusedCancel(envelope, in: bytes, at: place, from: sender)
    }
    guard let id = edge.idTakenBack(envelope, in: bytes, at: place) else {
      return mayCancel && isRefusedCancel(envelope, in: bytes, at: place, from: sender)
    }
    takeBack(id, bytes, envelope, from: sender)
    return true
  }

  /// A client takes back what it asked under an id. The loop that has it charges for that.
  @inline(never)
  private mutating func takeBack(
    _ id: ByteRange, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) {
    let waiter = newest(withID: id, in: bytes, of: sender.client)
    if let waiter, lanes.isRemote(waiter) {
      return cancelRemote(waiter, bytes, envelope, isCounted: false, from: sender)
    }
    guard mayTakeBack(bytes, envelope, from: sender) else { return }
    var count = 0
    if let waiter { count = cancel(waiter) }
    countTakenBack(count, by: sender.client)
  }

  /// Whether a message could take back another client's request at an upstream that clients share, though it takes back
  /// none of its own client's: a request, or a notification that names none. It is refused, and goes no further.
  @inline(never)
  private mutating func isRefusedCancel(
    _ envelope: Envelope, in bytes: Span<UInt8>, at place: Int, from sender: Sender
  ) -> Bool {
    guard !upstreams.terms(of: place).isPerConnection,
      edge.isCancel(envelope, in: bytes, at: place) || endsProgress(envelope, in: bytes)
    else { return false }
    let message = "method not found: it cancels at an upstream that clients share; use $/cancelRequest"
    edge.refuseMessage(.methodNotFound.with(message: message), of: envelope, in: bytes, from: sender)
    return true
  }

  @inline(__always)
  private mutating func upstreamAtTheDoor(
    _ place: Int, _ terms: UpstreamTerms, from client: Int
  ) throws(RPCError) -> Int {
    if isDraining { throw .shuttingDown }
    // What it had at an upstream of its own is gone: no other may take its place.
    if edge.isLeaving(client) { throw .upstreamUnavailable }
    guard terms.isPerConnection else { return place }
    if edge.isExchange(client) { throw Self.needsConnection }
    guard let own = ownUpstream(at: place, for: client) else {
      throw .overloaded.with(message: "too many connections have upstreams of their own")
    }
    return own
  }

  /// Where a client without a connection is asked for what others have an upstream of their own for; nil: nowhere else.
  @inline(never)
  private func placeForPosts(_ place: Int, of client: Int) -> Int? {
    edge.isExchange(client) ? configuration.upstreams[place].placeForPosts : nil
  }

  private static let needsConnection = RPCError.invalidRequest.with(
    message:
      "this method's upstream has a connection for each client: ask over TCP or a WebSocket, not by a POST")

  /// The upstream of its own that this client's requests go to, opened if need be; nil: the bound on them is reached.
  private mutating func ownUpstream(at place: Int, for client: Int) -> Int? {
    for own in edge.ownUpstreams(of: client) where upstreams.place(of: own) == place { return own }
    guard let slot = upstreams.openOwn(at: place, for: client) else { return nil }
    edge.addOwnUpstream(slot, to: client)
    return slot
  }

  mutating func openUpstreams(for client: Int) {
    for place in configuration.upstreams.indices where configuration.upstreams[place].isPerConnection {
      _ = ownUpstream(at: place, for: client)
    }
  }

  /// A notification is about to be sent to an upstream of a client's own: the requests that are held back until later
  /// end.
  private mutating func endHeldBack(at upstream: Int) {
    let tasks = upstreams.heldBack(at: upstream).map { lanes.task(of: $0) }
    // A notification that is refused for want of room ends nothing.
    guard !tasks.isEmpty, lanes.hasTaskRoom(without: tasks.count) else { return }
    lanes.outdate(tasks)
    performEffects()
  }

  /// Finds out what a request that may join has in common with the newest live task of its lane.
  @inline(never)
  func compareWithNewest(
    _ envelope: Envelope, in bytes: Span<UInt8>, for admission: inout Admission, streams: Bool
  ) {
    guard let key = admission.key, let newest = lanes.newestLive(in: key),
      lanes.sharesPieces(newest, streams: streams)
    else { return }
    // The progress of others' params has a token that it never gave.
    if admission.join == .always, !upstreams.replacedTokens(of: newest).isEmpty {
      admission.join = .identical
    }
    let isOutdated = lanes.generation(of: newest) < upstreams.lastNotification(ofCall: newest.slot)
    lanes.compare(newest, envelope, in: bytes, isOutdated: isOutdated, for: &admission)
  }

  @inline(__always)
  private mutating func intern(_ intent: TaskIntent, in bytes: Span<UInt8>, of client: Int) -> TaskKey? {
    let namespace = edge.namespace(intent.scope, of: client)
    return edge.withKey(intent.key, in: bytes) { lanes.intern($0, namespace: namespace) }
  }

  @inline(__always)
  private mutating func addCaller(
    _ waiter: WaiterID, of task: TaskID, _ envelope: Envelope, in bytes: Span<UInt8>, group: Int,
    from sender: Sender
  ) {
    edge.addCaller(waiter, envelope, in: bytes, group: group, from: sender)
    if sender.batch >= 0 { lanes.noteBatched(task.slot) }
  }

  @inline(never)
  private mutating func noteUnsent(_ task: Int, of client: Int) {
    lanes.noteUnsent(task)
    _ = edge.setUnsent(client, true)
  }

  /// A request was admitted as a task that says what is to be noted of it.
  @inline(never)
  private mutating func noteSaid(
    _ intent: TaskIntent, of task: TaskID, _ waiter: WaiterID?, _ route: Int, in bytes: Span<UInt8>,
    from sender: Sender
  ) {
    if intent.said.contains(.partition) { lanes.notePartition(of: task.slot) }
    if edge.streams(intent), let waiter { noteStream(of: task, waiter, intent, route) }
    if intent.said.contains(.drain) { noteDrain(of: task.slot, intent.admission, route) }
    if intent.said.contains(.order) {
      noteOrder(of: intent, asking: task, isNew: true, in: bytes, from: sender)
    }
  }

  /// A task may drain as long as its client says, while that is there.
  private mutating func noteDrain(of task: Int, _ admission: Admission, _ route: Int) {
    lanes.noteDrain(of: task, milliseconds: admission.drainMilliseconds, usual: edge.usualDrain(route))
  }

  // MARK: Progress

  /// A request was admitted for an upstream of its client's own.
  /// - Parameter hasOwnTime: the request says itself how long it waits.
  private mutating func noteTokens(
    of task: TaskID, _ waiter: WaiterID, _ envelope: Envelope, _ route: Int, hasOwnTime: Bool,
    in bytes: Span<UInt8>, at upstream: Int
  ) {
    let asked = edge.progressTokens(of: envelope, in: bytes)
    guard !asked.isEmpty else { return }
    noteProgressTimes(of: waiter, route, hasOwnTime: hasOwnTime)
    upstreams.noteTokens(asked, of: task, at: upstream) { lanes.knows($0) }
  }

  /// A caller joined a task that may have a token: at an upstream of its client's own, if any has.
  @inline(never)
  private mutating func noteJoining(
    _ waiter: WaiterID, of task: TaskID, _ route: Int, hasOwnTime: Bool, at upstream: Int
  ) {
    guard upstreams.hasTokens(upstream) || !upstreams.replacedTokens(of: task).isEmpty else { return }
    noteProgressTimes(of: waiter, route, hasOwnTime: hasOwnTime)
  }

  mutating func noteProgressTimes(of waiter: WaiterID, _ route: Int, hasOwnTime: Bool) {
    lanes.noteProgress(of: waiter, hasOwnTime ? ProgressTimes() : edge.progressTimes(route))
  }
}

extension JoinRule {
  /// The enum's own comparison is another module's, and would be called.
  @inline(__always)
  fileprivate var isNever: Bool { if case .never = self { true } else { false } }
}

/// Whether no request may be sent behind this notification. Notifications that begin with `$/` change nothing that a
/// request could ask about.
private func outdatesHeldBack(_ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
  envelope.isNotification && !JSONString.begins(envelope.method, in: bytes, with: "$/")
}
