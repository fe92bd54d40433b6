import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  /// A request for upstream: reads what it wants of the store, asks the store, and does what that says.
  mutating func admit(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let route = router.route(of: envelope, in: bytes)
    let upstream = router.upstream(of: route)
    let intent: TaskIntent
    do throws(RPCError) {
      intent = try intents.read(envelope, route < 0 ? nil : router.routes[route], in: bytes)
    } catch {
      return refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    if envelope.isNotification { counters.notifications += 1 } else { counters.admitted += 1 }
    if let error = refusalAtTheDoor(envelope, upstream, from: sender) {
      return reject(error, envelope, in: bytes, from: sender)
    }
    var admission = admission(intent, envelope, in: bytes, from: sender)
    admission.endsOnCancel = upstreams[upstream].cancel == .mcp
    let compensation = router.compensation(of: route)
    admission.isCompensated = compensation >= 0
    let group = internGroup(intent, in: bytes, of: sender.client)
    switch store.submit(admission, effects: &effects) {
    case .admitted(let task, let waiter):
      var call = Call()
      call.upstream = upstream
      call.isKeyed = admission.key != nil
      call.compensation = compensation
      keep(task, call, bytes, envelope)
      if let waiter { addCaller(waiter, envelope, in: bytes, group: group, of: sender) }
    case .joined(_, let waiter):
      counters.joined += 1
      addCaller(waiter, envelope, in: bytes, group: group, of: sender)
    case .busy:
      reject(.busy, envelope, in: bytes, from: sender)
    case .overloaded(.queue):
      reject(.overloaded.with(message: "the key's queue is full"), envelope, in: bytes, from: sender)
    case .overloaded(.tasks):
      reject(.overloaded.with(message: "too many tasks"), envelope, in: bytes, from: sender)
    case .overloaded(.waiters):
      reject(.overloaded.with(message: "too many callers"), envelope, in: bytes, from: sender)
    }
    callers.releaseIfEmpty(group)
    performEffects()
  }

  private func refusalAtTheDoor(_ envelope: Envelope, _ upstream: Int, from sender: Sender) -> RPCError? {
    if isDraining { return .shuttingDown }
    if clients[sender.client].unanswered >= configuration.unansweredPerConnection {
      return .overloaded.with(message: "too many unanswered requests on this connection")
    }
    let asked = envelope.method.count + envelope.params.count
    if payloads.byteCount + asked > configuration.payloadBytes {
      return .overloaded.with(message: "too many bytes of open requests")
    }
    let unsent = upstreams[upstream].output.byteCount + upstreams[upstream].waitingBytes
    return unsent > upstreams[upstream].outputHardBytes
      ? .overloaded.with(message: "the upstream does not keep up") : nil
  }

  private mutating func admission(
    _ intent: TaskIntent, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) -> Admission {
    let key = intern(intent, in: bytes, of: sender.client)
    var admission = Admission(key: key, policy: intent.policy ?? .cancel)
    admission.timeoutMilliseconds = intent.timeoutMilliseconds ?? configuration.timeoutMilliseconds
    admission.drainMilliseconds = intent.drainMilliseconds ?? configuration.drainMilliseconds
    admission.debounceMilliseconds = intent.debounceMilliseconds ?? 0
    admission.maxWaitMilliseconds = intent.maxWaitMilliseconds ?? 0
    admission.maxStaleMilliseconds = intent.maxStaleMilliseconds ?? 0
    admission.isNotification = envelope.isNotification
    admission.join = intent.join ?? admission.policy.defaultJoin
    if admission.join == .identical, let key, let newest = store.newestLive(in: key) {
      admission.asksTheSame = payloads.matches(
        envelope.method.range, envelope.params.range, of: bytes, at: newest.slot,
        dividedAt: calls[newest.slot].methodBytes)
    }
    return admission
  }

  private mutating func intern(_ intent: TaskIntent, in bytes: Span<UInt8>, of client: Int) -> TaskKey? {
    let namespace = namespace(intent.scope, of: client)
    return intents.keys.withBytes(of: intent.key, in: bytes) {
      TaskKey(slot: keys.intern(namespace: namespace, $0))
    }
  }

  /// - Parameter scope: nil: as the listener has it.
  func namespace(_ scope: TaskIntent.Scope?, of client: Int) -> UInt64 {
    (scope ?? clients[client].listener.scope) == .connection
      ? clients[client].ownNamespace : clients[client].sharedNamespace
  }

  private mutating func internGroup(_ intent: TaskIntent, in bytes: Span<UInt8>, of client: Int) -> Int {
    intents.groups.withBytes(of: intent.group, in: bytes) { callers.internGroup($0, of: client) } ?? -1
  }

  /// Remembers what a task asks until nobody needs it any more: it may start later, or be joined.
  private mutating func keep(
    _ task: TaskID, _ call: Call, _ bytes: Span<UInt8>, _ envelope: Envelope
  ) {
    while calls.count <= task.slot { calls.append(Call()) }
    calls[task.slot] = call
    calls[task.slot].isNotification = envelope.isNotification
    calls[task.slot].methodBytes = envelope.method.count
    calls[task.slot].admittedMilliseconds = nowMilliseconds
    payloads.store(envelope.method.range, envelope.params.range, of: bytes, at: task.slot)
    // Upstream reads lines: one message must not become two there.
    if bytes.hasLineBreak(in: envelope.params.range) { payloads.replaceLineBreaks(at: task.slot) }
  }

  private mutating func addCaller(
    _ waiter: WaiterID, _ envelope: Envelope, in bytes: Span<UInt8>, group: Int, of sender: Sender
  ) {
    callers.add(
      waiter, id: envelope.id, in: bytes, sender, group: group,
      to: &clients[sender.client].openRequests)
    clients[sender.client].unanswered += 1
    if sender.batch >= 0 { batches[sender.batch].awaited += 1 }
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
