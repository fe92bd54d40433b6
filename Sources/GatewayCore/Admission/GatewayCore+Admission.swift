import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  /// A request for upstream: reads what it wants of the store, asks the store, and does what that says.
  mutating func admit(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let route = router.route(of: envelope, in: bytes)
    let place = router.upstream(of: route)
    if takesBack(envelope, in: bytes, at: place, from: sender) { return }
    let terms = upstreams[place].terms
    var intent = TaskIntent(admission: intents.usualAdmission)
    do throws(RPCError) {
      try intents.read(envelope, route, of: router, in: bytes, into: &intent)
      if intent.scope == .shared && terms.isPerConnection {
        throw .invalidParams("task.scope: the upstream of this method is the connection's own")
      }
    } catch {
      return refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    let (account, isLeaving) = (clients[sender.client].account, clients[sender.client].isLeaving)
    if envelope.isNotification { counters.notifications += 1 } else { counters.admitted += 1 }
    let upstream: Int
    do throws(RPCError) {
      upstream = try upstreamAtTheDoor(place, terms, from: sender.client, isLeaving: isLeaving)
    } catch {
      noteRejection(.init(error), intent.admission)
      return reject(error, envelope, in: bytes, from: sender)
    }
    let handling = route < 0 ? terms.handling : handling(route, at: upstream)
    if terms.isPerConnection { intent.scope = .connection }
    if terms.isPerConnection && envelope.isNotification { intent.passAtOnce() }
    intent.admission.isNotification = envelope.isNotification
    intent.admission.endsOnCancel = handling.endsOnCancel
    intent.admission.isCompensated = handling.compensation >= 0
    let traceBytes = terms.passesTraces ? intent.traceparent.count : 0
    let asked = envelope.method.count &+ envelope.params.count &+ traceBytes
    if isAtABound(asking: asked, at: upstream, of: account, from: sender),
      let error = boundExceeded(by: &intent, envelope, asking: asked, in: bytes, at: upstream, from: sender)
    {
      noteRejection(.overloaded, intent.admission)
      return reject(error, envelope, in: bytes, from: sender)
    }
    let outdates = terms.isPerConnection && outdatesHeldBack(envelope, in: bytes)
    if outdates { endHeldBack(at: upstream) }
    if intent.admission.key == nil { intent.admission.key = intern(intent, in: bytes, of: sender.client) }
    if !intent.admission.join.isNever { compareWithNewest(envelope, in: bytes, for: &intent.admission) }
    let group = internGroup(intent, in: bytes, of: sender.client)
    switch store.submit(intent.admission, effects: &effects) {
    case .admitted(let task, let waiter):
      calls.reach(task.slot)
      calls[task.slot] = call(envelope, intent, at: upstream, handling, terms, of: account)
      upstreams[upstream].calls &+= 1
      keep(task, bytes, envelope, intent.traceparent, terms)
      charge(account, byteCount: asked)
      if envelope.isNotification { noteUnsent(task.slot, of: account) }
      if intent.said.contains(.drain) { noteDrain(of: task.slot, intent.admission, route) }
      if journal.isOpen { noteAdmission(task, intent.admission, of: sender.client) }
      if let waiter { addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender) }
      if terms.isPerConnection {
        let hasOwnTime = intent.said.contains(.timeout)
        noteOwn(
          task, waiter, envelope, route, hasOwnTime: hasOwnTime, in: bytes, at: upstream, outdates: outdates)
      }
    case .joined(let task, let waiter):
      counters.joined += 1
      if journal.isOpen { note(.joined, task, of: sender.client) }
      addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender)
      if terms.isPerConnection {
        noteJoining(waiter, route, hasOwnTime: intent.said.contains(.timeout), at: upstream)
      }
    case .busy:
      noteRejection(.busy, intent.admission)
      reject(.busy, envelope, in: bytes, from: sender)
    case .overloaded(.queue):
      noteRejection(.overloaded, intent.admission)
      reject(.overloaded.with(message: "the key's queue is full"), envelope, in: bytes, from: sender)
    case .overloaded(.tasks):
      noteRejection(.overloaded, intent.admission)
      reject(.overloaded.with(message: "too many tasks"), envelope, in: bytes, from: sender)
    case .overloaded(.waiters):
      noteRejection(.overloaded, intent.admission)
      reject(.overloaded.with(message: "too many callers"), envelope, in: bytes, from: sender)
    case .overloaded(.callers):
      noteRejection(.overloaded, intent.admission)
      reject(.overloaded.with(message: "too many callers of one task"), envelope, in: bytes, from: sender)
    }
    callers.releaseIfEmpty(group)
    performAdmission()
  }

  /// A task was admitted for an upstream of its client's own.
  @inline(never)
  private mutating func noteOwn(
    _ task: TaskID, _ waiter: WaiterID?, _ envelope: Envelope, _ route: Int, hasOwnTime: Bool,
    in bytes: Span<UInt8>, at upstream: Int, outdates: Bool
  ) {
    noteOrder(of: task, at: upstream, outdates: outdates)
    guard let waiter else { return }
    noteTokens(of: task, waiter, envelope, route, hasOwnTime: hasOwnTime, in: bytes, at: upstream)
  }

  /// Whether this is a notification that takes back a request of the same connection, as the Model Context Protocol or
  /// the upstream has it. It names the request by the client's id, and upstream knows that id of somebody else's: it is
  /// never forwarded, and upstream hears of it in its own way.
  @inline(__always)
  private mutating func takesBack(
    _ envelope: Envelope, in bytes: Span<UInt8>, at place: Int, from sender: Sender
  ) -> Bool {
    guard envelope.isNotification, let id = idTakenBack(envelope, in: bytes, at: place) else { return false }
    _ = cancel(id, in: bytes, of: sender.client)
    return true
  }

  private func idTakenBack(_ envelope: Envelope, in bytes: Span<UInt8>, at place: Int) -> ByteRange? {
    if CancelledID.isMCP(envelope, in: bytes) {
      return CancelledID.member("requestId", of: envelope, in: bytes)
    }
    return configuration.upstreams[place].cancelNotification?.cancelledID(envelope, in: bytes)
  }

  /// What a route says of how its requests are handled.
  private func handling(_ route: Int, at upstream: Int) -> Handling {
    let compensation = router.compensation(of: route)
    let cancel = upstreams[upstream].options.dialect(
      router.routes[route].cancel, mustBeHeard: compensation >= 0)
    return Handling(
      cancel: cancel,
      endsOnCancel: cancel.isUnheard(byNotification: upstreams[upstream].options.takesBackUnheard),
      priority: UInt8(router.routes[route].priority), compensation: compensation)
  }

  /// What there is to know of a request as a task.
  @inline(__always)
  private func call(
    _ envelope: Envelope, _ intent: TaskIntent, at upstream: Int, _ handling: Handling,
    _ terms: UpstreamTerms, of account: Int
  ) -> Call {
    var call = Call()
    call.upstream = upstream
    call.account = account
    call.allotment = allotments.number(of: account, at: upstreams[upstream].place)
    call.methodBytes = envelope.method.count
    call.compensation = handling.compensation
    call.admitted = Moment(nowMilliseconds)
    call.timeoutMilliseconds = intent.admission.timeoutMilliseconds
    call.cancel = handling.cancel
    call.priority = handling.priority
    // An upstream of the client's own gets everything in the order in which it came.
    if terms.isPerConnection { call.priority = UInt8(Route.usualPriority) }
    call.isNotification = envelope.isNotification
    call.isKeyed = !intent.key.isNone
    return call
  }

  @inline(__always)
  private mutating func upstreamAtTheDoor(
    _ place: Int, _ terms: UpstreamTerms, from client: Int, isLeaving: Bool
  ) throws(RPCError) -> Int {
    if isDraining { throw .shuttingDown }
    // What it had at an upstream of its own is gone: no other may take its place.
    if isLeaving { throw .upstreamUnavailable }
    guard terms.isPerConnection else { return place }
    guard let own = ownUpstream(at: place, for: client) else {
      throw .overloaded.with(message: "too many connections have upstreams of their own")
    }
    return own
  }

  /// Finds out what a request that may join has in common with the newest live task of its lane.
  @inline(never)
  func compareWithNewest(
    _ envelope: Envelope, in bytes: Span<UInt8>, for admission: inout Admission
  ) {
    guard let key = admission.key, let newest = store.newestLive(in: key) else { return }
    let division = calls[newest.slot].methodBytes
    if case .always = admission.join {
      admission.hasTheSameMethod = payloads.matchesFirst(
        envelope.method.range, of: bytes, at: newest.slot, dividedAt: division)
    } else {
      let isOutdated = store.generation(of: newest) < upstreams[calls[newest.slot].upstream].lastNotification
      admission.asksTheSame =
        !isOutdated
        && payloads.matches(
          envelope.method.range, envelope.params.range, of: bytes, at: newest.slot, dividedAt: division)
    }
  }

  @inline(__always)
  private mutating func intern(_ intent: TaskIntent, in bytes: Span<UInt8>, of client: Int) -> TaskKey? {
    let namespace = namespace(intent.scope, of: client)
    return intents.keys.withBytes(of: intent.key, in: bytes) {
      TaskKey(slot: keys.intern(namespace: namespace, $0))
    }
  }

  /// - Parameter scope: nil: as the listener has it.
  @inline(__always)
  func namespace(_ scope: TaskIntent.Scope?, of client: Int) -> UInt64 {
    switch scope {
    case nil: clients[client].usualNamespace
    case .shared: clients[client].sharedNamespace
    case .connection: clients[client].ownNamespace
    }
  }

  /// The lane of a key that was read, if there is one already.
  func lane(
    of label: Label, readBy reader: LabelReader, in bytes: Span<UInt8>, namespace: UInt64
  ) -> TaskKey? {
    let slot = reader.withBytes(of: label, in: bytes) { keys.find(namespace: namespace, $0) }
    return slot.flatMap { $0 }.map { TaskKey(slot: $0) }
  }

  @inline(__always)
  private mutating func internGroup(_ intent: TaskIntent, in bytes: Span<UInt8>, of client: Int) -> Int {
    intents.groups.withBytes(of: intent.group, in: bytes) { callers.internGroup($0, of: client) } ?? -1
  }

  /// Remembers what a task asks until nobody needs it any more: it may start later, or be joined.
  @inline(__always)
  private mutating func keep(
    _ task: TaskID, _ bytes: Span<UInt8>, _ envelope: Envelope, _ traceparent: ByteRange,
    _ terms: UpstreamTerms
  ) {
    payloads.store(envelope.method.range, envelope.params.range, of: bytes, at: task.slot)
    if terms.takesLines, !envelope.isFreeOfLineBreaks, bytes.hasLineBreak(in: envelope.params.range) {
      // One message must not become two there.
      payloads.replaceLineBreaks(at: task.slot)
    }
    if !traceparent.isEmpty, terms.passesTraces {
      traces.store(traceparent.range, 0..<0, of: bytes, at: task.slot)
    }
  }

  @inline(__always)
  private mutating func addCaller(
    _ waiter: WaiterID, of task: TaskID, _ envelope: Envelope, in bytes: Span<UInt8>, group: Int,
    from sender: Sender
  ) {
    callers.add(
      waiter, id: envelope.id, in: bytes, sender, group: group,
      to: &clients[sender.client].openRequests)
    if sender.batch >= 0 {
      batches[sender.batch].awaited += 1
      calls[task.slot].isBatched = true
    }
  }

  /// Forgets whose request a waiter was: it has been answered, or its connection is gone.
  @inline(__always)
  mutating func forgetCaller(_ waiter: WaiterID) {
    let sender = callers[waiter].sender
    callers.remove(waiter, from: &clients[sender.client].openRequests)
    if configuration.idleMilliseconds > 0 { wait(for: sender.client, hasAdvanced: false) }
    if sender.batch >= 0 { release(sender.batch) }
  }
}

extension JoinRule {
  /// The enum's own comparison is another module's, and would be called.
  @inline(__always)
  fileprivate var isNever: Bool { if case .never = self { true } else { false } }
}
