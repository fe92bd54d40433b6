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
    if envelope.isNotification { counters.notifications += 1 } else { counters.admitted += 1 }
    let upstream: Int
    do throws(RPCError) {
      upstream = try upstreamAtTheDoor(envelope, place, terms, from: sender)
    } catch {
      noteRejection(.init(error), intent.admission)
      return reject(error, envelope, in: bytes, from: sender)
    }
    let handling = route < 0 ? terms.handling : handling(route, at: upstream)
    if terms.isPerConnection { intent.scope = .connection }
    intent.admission.key = intern(intent, in: bytes, of: sender.client)
    intent.admission.isNotification = envelope.isNotification
    intent.admission.endsOnCancel = handling.endsOnCancel
    intent.admission.isCompensated = handling.compensation >= 0
    if case .identical = intent.admission.join {
      intent.admission.asksTheSame = asksTheSame(intent.admission.key, envelope, in: bytes)
    }
    let group = internGroup(intent, in: bytes, of: sender.client)
    switch store.submit(intent.admission, effects: &effects) {
    case .admitted(let task, let waiter):
      calls.reach(task.slot)
      calls[task.slot] = call(envelope, intent, at: upstream, handling)
      upstreams[upstream].calls &+= 1
      keep(task, bytes, envelope, intent.traceparent, terms)
      if journal.isOpen { noteAdmission(task, intent.admission, of: sender.client) }
      if let waiter { addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender) }
    case .joined(let task, let waiter):
      counters.joined += 1
      if journal.isOpen { note(.joined, task, of: sender.client) }
      addCaller(waiter, of: task, envelope, in: bytes, group: group, from: sender)
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
    }
    callers.releaseIfEmpty(group)
    performEffects(Span(), AnswerBody())
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
    _ envelope: Envelope, _ intent: TaskIntent, at upstream: Int, _ handling: Handling
  ) -> Call {
    var call = Call()
    call.upstream = upstream
    call.methodBytes = envelope.method.count
    call.compensation = handling.compensation
    call.admitted = Moment(nowMilliseconds)
    call.timeoutMilliseconds = intent.admission.timeoutMilliseconds
    call.cancel = handling.cancel
    call.priority = handling.priority
    call.isNotification = envelope.isNotification
    call.isKeyed = !intent.key.isNone
    return call
  }

  @inline(__always)
  private mutating func upstreamAtTheDoor(
    _ envelope: Envelope, _ place: Int, _ terms: UpstreamTerms, from sender: Sender
  ) throws(RPCError) -> Int {
    if isDraining { throw .shuttingDown }
    if clients[sender.client].unanswered >= configuration.unansweredPerConnection {
      throw .overloaded.with(message: "too many unanswered requests on this connection")
    }
    let asked = envelope.method.count + envelope.params.count
    if payloads.byteCount + asked > configuration.payloadBytes {
      throw .overloaded.with(message: "too many bytes of open requests")
    }
    // What it had at an upstream of its own is gone: no other may take its place.
    if clients[sender.client].isLeaving { throw .upstreamUnavailable }
    var upstream = place
    if terms.isPerConnection {
      guard let own = ownUpstream(at: place, for: sender.client) else {
        throw .overloaded.with(message: "too many connections have upstreams of their own")
      }
      upstream = own
    }
    if upstreams[upstream].waitingCount >= upstreams[upstream].waitingLimit {
      throw .overloaded.with(message: "too many requests wait for the upstream")
    }
    if unsentByteCount(upstream) > upstreams[upstream].outputHardBytes {
      throw .overloaded.with(message: "the upstream does not keep up")
    }
    return upstream
  }

  @inline(__always)
  private func unsentByteCount(_ upstream: Int) -> Int {
    var count = upstreams[upstream].waitingBytes
    for session in upstreams[upstream].sessions { count += sessions[session].output.byteCount }
    return count
  }

  /// Whether a request asks the very same as the newest live task of its lane.
  private func asksTheSame(_ key: TaskKey?, _ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    guard let key, let newest = store.newestLive(in: key) else { return false }
    return payloads.matches(
      envelope.method.range, envelope.params.range, of: bytes, at: newest.slot,
      dividedAt: calls[newest.slot].methodBytes)
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
    (scope ?? clients[client].listener.scope) == .connection
      ? clients[client].ownNamespace : clients[client].sharedNamespace
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
    clients[sender.client].unanswered += 1
    if sender.batch >= 0 {
      batches[sender.batch].awaited += 1
      calls[task.slot].isBatched = true
    }
  }

  /// Forgets whose request a waiter was: it has been answered, or its connection is gone.
  mutating func forgetCaller(_ waiter: WaiterID) {
    let sender = callers[waiter].sender
    callers.remove(waiter, from: &clients[sender.client].openRequests)
    clients[sender.client].unanswered -= 1
    if configuration.idleMilliseconds > 0 { wait(for: sender.client, hasAdvanced: false) }
    if sender.batch >= 0 { release(sender.batch) }
  }
}
