import HotData
import JSONRPC
import TaskStore

/// How much is too much if a request is taken: by a number that is positive.
private struct Excess {
  var unanswered = 0
  var requestBytes = 0
  /// What its client would ask in all.
  var ownRequestBytes = 0
  var waiting = 0
  var unsentBytes = 0
  var tasks = 0
  var ownTasks = 0

  var isNone: Bool {
    unanswered <= 0 && requestBytes <= 0 && waiting <= 0 && unsentBytes <= 0 && tasks <= 0
      && ownTasks <= 0
  }

  /// Nil also if only tasks are too many: that bound is the store's.
  var error: RPCError? {
    if unanswered > 0 { return .overloaded.with(message: "too many unanswered requests on this connection") }
    if ownTasks > 0 { return .overloaded.with(message: "too many tasks of this connection") }
    if requestBytes > 0 { return .overloaded.with(message: "too many bytes of open requests") }
    if waiting > 0 { return .overloaded.with(message: "too many requests wait for the upstream") }
    return unsentBytes > 0 ? .overloaded.with(message: "the upstream does not keep up") : nil
  }
}

/// Bounds are checked as things will stand after supersession. Nearly always none is reached, and nobody looks at what
/// a request supersedes; else it is looked at for as long as room is lacking.
extension GatewayCore {
  @inline(__always)
  func isAtABound(asking askedBytes: Int, at upstream: Int, of account: Int, from sender: Sender) -> Bool {
    clients[sender.client].unanswered >= configuration.unansweredPerConnection
      || accounts[account].tasks >= configuration.tasksPerConnection
      || requestByteCount + askedBytes > requestLimitBytes
      || upstreams[upstream].waitingCount >= upstreams[upstream].waitingLimit
      || mayHaveTooMuchUnsent(upstream) && unsentByteCount(upstream) > upstreams[upstream].outputHardBytes
      || store.taskCount >= store.limits.tasks
  }

  /// Looks at no connection: what all of them have to write is in the blocks in use.
  @inline(__always)
  private func mayHaveTooMuchUnsent(_ upstream: Int) -> Bool {
    upstreamBlocks.holdsMore(than: upstreams[upstream].outputHardBytes &- upstreams[upstream].waitingBytes)
  }

  private func unsentByteCount(_ upstream: Int) -> Int {
    var count = upstreams[upstream].waitingBytes
    for session in upstreams[upstream].sessions { count += sessions[session].output.byteCount }
    return count
  }

  /// Why a request is refused, if what it supersedes does not make room for it. Nothing has changed then.
  @inline(never)
  mutating func boundExceeded(
    by intent: inout TaskIntent, _ envelope: Envelope, asking askedBytes: Int, in bytes: Span<UInt8>,
    at upstream: Int, from sender: Sender
  ) -> RPCError? {
    // First: what ends may be the last of a key.
    if store.taskCount >= store.limits.tasks { makeTaskRoom() }
    var request = intent.admission
    let namespace = namespace(intent.scope, of: sender.client)
    request.key = lane(of: intent.key, readBy: intents.keys, in: bytes, namespace: namespace)
    if request.join != .never { compareWithNewest(envelope, in: bytes, for: &request) }
    let outlook = store.outlook(of: request)
    var excess = excess(of: envelope, askedBytes, outlook, at: upstream, from: sender)
    var unsent: Int32 = 0
    store.forEachSuperseded(by: request, outlook) { task, endsAtOnce in
      if excess.isNone { return false }
      let isUnsent = !calls[task.slot].isSent
      if isUnsent && !endsAtOnce { unsent += 1 }
      discount(task, endsNow: endsAtOnce || isUnsent, from: &excess, at: upstream, of: sender.client)
      return true
    }
    intent.admission.unsentSuperseded = unsent
    if excess.requestBytes > 0, isMuchLess(excess.ownRequestBytes) { excess.requestBytes = 0 }
    if let error = excess.error { return error }
    if requestByteCount + askedBytes > requestLimitBytes { hasLentRequestRoom = true }
    // It need not be looked up once more.
    intent.admission.key = request.key
    return nil
  }

  /// As if it superseded nothing.
  private func excess(
    of envelope: Envelope, _ askedBytes: Int, _ outlook: Outlook, at upstream: Int, from sender: Sender
  ) -> Excess {
    var excess = Excess()
    if outlook == .busy { return excess }
    if !envelope.isNotification {
      excess.unanswered = clients[sender.client].unanswered + 1 - configuration.unansweredPerConnection
    }
    // Who joins a task adds nothing else.
    guard outlook == .isTask else { return excess }
    let account = clients[sender.client].account
    excess.requestBytes = requestByteCount + askedBytes - requestLimitBytes
    excess.ownRequestBytes = accounts[account].requestBytes + askedBytes
    excess.waiting = upstreams[upstream].waitingCount + 1 - upstreams[upstream].waitingLimit
    excess.unsentBytes = unsentByteCount(upstream) - upstreams[upstream].outputHardBytes
    excess.tasks = store.taskCount + 1 - store.limits.tasks
    excess.ownTasks = accounts[account].tasks + 1 - configuration.tasksPerConnection
    return excess
  }

  /// What a task leaves free that is superseded.
  /// - Parameter endsNow: it does not drain.
  private func discount(
    _ task: TaskID, endsNow: Bool, from excess: inout Excess, at upstream: Int, of client: Int
  ) {
    let call = calls[task.slot]
    let askedBytes = payloads.count(of: task.slot)
    let isOwn = call.account == clients[client].account
    if endsNow {
      excess.tasks -= 1
      if isOwn { excess.ownTasks -= 1 }
    }
    if endsNow || call.compensation < 0 {
      let freed = endsNow ? askedBytes : max(0, askedBytes - call.methodBytes)
      excess.requestBytes -= freed
      if isOwn { excess.ownRequestBytes -= freed }
    }
    if call.progress == .waiting && call.upstream == upstream {
      excess.waiting -= 1
      excess.unsentBytes -= askedBytes
    }
    store.forEachWaiter(of: task) { waiter in
      if callers[waiter].sender.client == client { excess.unanswered -= 1 }
      return excess.unanswered > 0
    }
  }
}
