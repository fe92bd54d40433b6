import HotData
import Identity
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
  /// Of its client's principal.
  var principalTasks = 0
  var principalCallers = 0
  var principalBytes = 0
  /// So long the principal should not supersede anything, in milliseconds.
  var supersessionWait = 0

  var isNone: Bool {
    unanswered <= 0 && requestBytes <= 0 && waiting <= 0 && unsentBytes <= 0 && tasks <= 0
      && ownTasks <= 0 && principalTasks <= 0 && principalCallers <= 0 && principalBytes <= 0
  }

  /// Nil also if only tasks are too many: that bound is the store's.
  var overload: Overload? {
    if unanswered > 0 { return .tooManyUnanswered }
    if principalCallers > 0 { return .tooManyCallers }
    if ownTasks > 0 { return Overload("too many tasks of this connection") }
    if principalTasks > 0 { return Overload(ofPrincipal: "too many tasks of this principal") }
    if principalBytes > 0 {
      return Overload(ofPrincipal: "too many bytes of open requests of this principal")
    }
    if requestBytes > 0 { return Overload("too many bytes of open requests") }
    if waiting > 0 { return Overload("too many requests wait for the upstream") }
    return unsentBytes > 0 ? Overload("the upstream does not keep up") : nil
  }
}

/// Bounds are checked as things will stand after supersession. Nearly always none is reached, and nobody looks at what
/// a request supersedes; else it is looked at for as long as room is lacking.
extension GatewayCore {
  @inline(__always)
  mutating func isAtABound(
    asking askedBytes: Int, at upstream: Int, of account: Int, from sender: Sender, isPrincipals: Bool
  ) -> Bool {
    edge.isAtABound(sender.client) || lanes.isAtABound(asking: askedBytes, of: account)
      || upstreams.isAtABound(upstream)
      || isPrincipals && (lanes.isAtAQuota(asking: askedBytes, of: account) || hasAllCallers(sender.client))
  }

  /// Whether as many requests of a client's principal wait for an answer as may.
  /// - Parameter times: what the gateway answers itself has as much room once more.
  @inline(__always)
  func hasAllCallers(_ client: Int, times: Int = 1) -> Bool {
    edge.hasPrincipal(client) && hasAllCallers(ofPrincipalOf: client, times: times)
  }

  @inline(never)
  private func hasAllCallers(ofPrincipalOf client: Int, times: Int) -> Bool {
    let principal = edge.principal(of: client).number
    return edge.callerCount(ofPrincipal: principal) >= times * lanes.mostCallers(of: principal)
  }

  /// Why a request is refused, if what it supersedes does not make room for it. Nothing has changed then.
  @inline(never)
  mutating func boundExceeded(
    by intent: inout TaskIntent, _ envelope: Envelope, asking askedBytes: Int, in bytes: Span<UInt8>,
    at upstream: Int, from sender: Sender
  ) -> Overload? {
    // First: what ends may be the last of a key.
    if !lanes.hasTaskRoom(without: 0) { makeTaskRoom() }
    var request = intent.admission
    let namespace = edge.namespace(intent.scope, of: sender.client)
    request.key = edge.withKey(intent.key, in: bytes) { lanes.lane(of: $0, namespace: namespace) } ?? nil
    if request.join != .never {
      compareWithNewest(envelope, in: bytes, for: &request, streams: edge.streams(intent))
    }
    if intent.said.contains(.followed) {
      lanes.findKind(for: &request, envelope, in: bytes, streams: edge.streams(intent))
    }
    let outlook = lanes.outlook(of: request)
    var excess = excess(of: envelope, askedBytes, outlook, at: upstream, from: sender)
    var unsent: Int32 = 0
    let mayNotSupersede = excess.supersessionWait > 0
    var seen = 0
    lanes.forEachSuperseded(by: request, outlook) { task, endsAtOnce in
      if excess.isNone && !mayNotSupersede { return false }
      seen += 1
      if mayNotSupersede { return false }
      let isUnsent = !upstreams.isSent(task.slot)
      if isUnsent && !endsAtOnce { unsent += 1 }
      seen += discount(
        task, by: request, endsNow: endsAtOnce || isUnsent, from: &excess, at: upstream, of: sender.client)
      return true
    }
    intent.admission.unsentSuperseded = unsent
    // A refused request pays for its walk over thousands of tasks and callers.
    share.spend(messages: seen / Self.tasksPerMessage)
    if mayNotSupersede && seen > 0 {
      return Overload(
        ofPrincipal: "too many superseded a second of this principal",
        retryAfterMilliseconds: excess.supersessionWait)
    }
    if excess.requestBytes > 0, lanes.isMuchLess(excess.ownRequestBytes) { excess.requestBytes = 0 }
    if let overload = excess.overload { return overload }
    lanes.lendRequestRoom(askedBytes)
    // It need not be looked up once more.
    intent.admission.key = request.key
    return nil
  }

  /// To look at so many tasks or callers takes as long as to handle a message.
  private static let tasksPerMessage = 128

  /// As if it superseded nothing.
  private mutating func excess(
    of envelope: Envelope, _ askedBytes: Int, _ outlook: Outlook, at upstream: Int, from sender: Sender
  ) -> Excess {
    var excess = Excess()
    if outlook == .busy { return excess }
    let account = edge.account(of: sender.client)
    let principal = lanes.principal(ofAccount: account)
    if principal > 0 { excess.supersessionWait = lanes.supersessionWait(of: account) }
    if !envelope.isNotification {
      excess.unanswered = edge.unansweredCount(of: sender.client) + 1 - configuration.unansweredPerConnection
      if principal > 0 {
        excess.principalCallers =
          edge.callerCount(ofPrincipal: principal) + 1 - lanes.mostCallers(of: principal)
      }
    }
    // A request that joins a task adds nothing else.
    guard outlook == .isTask else { return excess }
    excess.requestBytes = lanes.requestByteCount + askedBytes - lanes.mostRequestBytes
    excess.ownRequestBytes = lanes.requestByteCount(ofAccount: account) + askedBytes
    excess.waiting = upstreams.waitingCount(upstream) + 1 - upstreams.waitingLimit(upstream)
    excess.unsentBytes = upstreams.unsentByteCount(upstream) - upstreams.outputHardBytes(upstream)
    excess.tasks = lanes.taskCount + 1 - configuration.store.tasks
    excess.ownTasks = lanes.taskCount(of: account) + 1 - configuration.tasksPerConnection
    if principal > 0 {
      let usage = lanes.usage(of: principal)
      excess.principalTasks = usage.tasks + 1 - usage.quotas.tasks
      excess.principalBytes = usage.requestBytes + askedBytes - usage.quotas.payloadBytes
    }
    return excess
  }

  /// Subtracts what a superseded task frees.
  /// - Parameter endsNow: it does not drain.
  /// - Returns: how many of its callers were looked at.
  private func discount(
    _ task: TaskID, by request: Admission, endsNow: Bool, from excess: inout Excess, at upstream: Int,
    of client: Int
  ) -> Int {
    let askedBytes = lanes.askedByteCount(task.slot)
    let (account, ownAccount) = (lanes.account(of: task), edge.account(of: client))
    let isOwn = account == ownAccount
    let isOfPrincipal = lanes.principal(ofAccount: account) == lanes.principal(ofAccount: ownAccount)
    if endsNow {
      excess.tasks -= 1
      if isOwn { excess.ownTasks -= 1 }
      if isOfPrincipal { excess.principalTasks -= 1 }
    }
    if endsNow || !lanes.mayBeUndone(task) {
      let freed = endsNow ? askedBytes : lanes.paramsByteCount(task.slot)
      excess.requestBytes -= freed
      if isOwn { excess.ownRequestBytes -= freed }
      if isOfPrincipal { excess.principalBytes -= freed }
    }
    if upstreams.isWaiting(task.slot, at: upstream) {
      excess.waiting -= 1
      excess.unsentBytes -= askedBytes
    }
    guard excess.unanswered > 0 || excess.principalCallers > 0 else { return 0 }
    let principal = edge.principal(of: client).number
    var seen = 0
    lanes.forEachWaiter(of: task) { waiter in
      seen += 1
      let leaves = lanes.leaves(waiter, whenSupersededBy: request)
      let caller = edge.client(of: waiter)
      if leaves && edge.client(of: waiter) == client { excess.unanswered -= 1 }
      if leaves && edge.principal(of: caller).number == principal { excess.principalCallers -= 1 }
      return excess.unanswered > 0 || excess.principalCallers > 0
    }
    return seen
  }

  // MARK: Room among all tasks

  /// Of the bound on tasks so many places are freed at once, one of so many parts: they pay for the walk over all tasks.
  private static let freedTaskPart = 128
  /// If there were fewer, none are looked for before so long.
  package static let taskSearchMilliseconds: UInt64 = 10

  /// Makes room at the bound of tasks: forgets unwanted tasks whose clients are gone and that need no undoing. Orphans
  /// go first, since they hold up nobody, then those that drain.
  @inline(never)
  private mutating func makeTaskRoom() {
    guard nowMilliseconds >= nextTaskSearchMilliseconds else { return }
    var lacking = max(1, configuration.store.tasks / Self.freedTaskPart)
    for state in [TaskState.orphaned, .draining] {
      var slot = 1
      while lacking > 0 && slot < lanes.endSlot {
        if let task = lanes.forgettable(inSlot: slot, state), edge.wantsNothing(lanes.client(of: task)) {
          lanes.forgetLeftBehind(task)
          performEffects()
          lacking -= 1
        }
        slot += 1
      }
    }
    if lacking > 0 { nextTaskSearchMilliseconds = nowMilliseconds + Self.taskSearchMilliseconds }
  }

  // MARK: Room among all requests

  /// Closes the clients whose requests take most memory, a principal's together, until a part of the bound is free
  /// again. What this frees pays for the walk over all accounts; at least one connection ends.
  @inline(never)
  private mutating func makeRequestRoom() {
    var rest = lanes.requestByteCount
    let enough = lanes.mostRequestBytes - lanes.mostRequestBytes / Edge.freedPart
    let askers = lanes.askers
    // What some of them ask goes anyway.
    for asker in askers where edge.isGivenUp(asker.client) { rest -= asker.byteCount }
    for asker in askers where rest > enough && !edge.isGivenUp(asker.client) {
      rest -= asker.byteCount
      edge.makeRoom(byClosing: asker.client)
    }
  }

  /// Whether somebody had to make room before the turn ends.
  @inline(__always)
  mutating func hasMadeRoom<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) -> Bool {
    let before = edge.counters.clientsClosedForRoom
    edge.makeRoomIfOverfull(with: &sink)
    if lanes.takeLentRequestRoom() { makeRequestRoom() }
    edge.noteRoom()
    return edge.counters.clientsClosedForRoom != before
  }
}
