import HotData
import JSONRPC
import TaskStore

/// What tasks ask, and their keys.
extension Lanes {
  // MARK: What is there

  @inline(__always)
  func knows(_ task: TaskID) -> Bool { store.knows(task) }
  func isLive(_ task: TaskID) -> Bool { store.isLive(task) }
  func isQueued(_ task: TaskID) -> Bool { store.state(of: task) == .queued }
  func generation(of task: TaskID) -> UInt64 { store.generation(of: task) }
  func generation(inSlot slot: Int) -> UInt64 { store.generation(inSlot: slot) }
  func task(of waiter: WaiterID) -> TaskID { store.task(of: waiter) }
  func task(inSlot slot: Int) -> TaskID? { store.task(inSlot: slot) }
  func newestLive(in key: TaskKey) -> TaskID? { store.newestLive(in: key) }
  /// Callers that wait for tasks of other loops.
  mutating func addRemoteWaiter() -> WaiterID? { store.addRemoteWaiter() }
  func hasRoom(forWaiters count: Int) -> Bool { store.hasRoom(forWaiters: count) }
  mutating func removeRemoteWaiter(_ waiter: WaiterID) { store.removeRemoteWaiter(waiter) }
  func isRemote(_ waiter: WaiterID) -> Bool { store.isRemote(waiter) }
  /// Whether nothing is lost if everything stops now.
  var isSettled: Bool { store.isSettled }
  var taskCount: Int { store.taskCount }
  @inline(__always)
  var nextDueMilliseconds: UInt64 { min(store.dueMilliseconds, nextForgottenOrder) }

  /// The task of a call, which is there.
  func task(of call: Int) -> TaskID {
    guard let task = store.task(inSlot: call) else { preconditionFailure("a call outlived its task") }
    return task
  }

  // MARK: Keys

  /// The lane of a key that was read, if there is one already.
  func lane(
    of label: Label, readBy reader: LabelReader, in bytes: Span<UInt8>, namespace: Namespace
  ) -> TaskKey? {
    let slot = reader.withBytes(of: label, in: bytes) { keys.find(namespace: namespace.number, $0) }
    return slot.flatMap { $0 }.map { TaskKey(slot: $0) }
  }

  func lane(of key: Span<UInt8>, namespace: Namespace) -> TaskKey? {
    keys.find(namespace: namespace.number, key).map { TaskKey(slot: $0) }
  }

  @inline(__always)
  mutating func intern(_ key: Span<UInt8>, namespace: Namespace) -> TaskKey {
    TaskKey(slot: keys.intern(namespace: namespace.number, key))
  }

  mutating func retire(_ key: TaskKey) { keys.release(key.slot) }

  // MARK: Events

  @inline(__always)
  mutating func submit(_ admission: Admission) -> Submission { store.submit(admission, effects: &effects) }
  mutating func cancel(_ waiter: WaiterID) { store.cancelled(waiter, effects: &effects) }
  mutating func cancel(_ waiters: [WaiterID]) { store.cancelled(waiters, effects: &effects) }
  mutating func cancel(in key: TaskKey) { store.cancelled(in: key, effects: &effects) }
  /// If a caller may follow, and so waits for the newer answer, all goes on.
  mutating func supersede(in key: TaskKey, by policy: DuplicatePolicy) {
    guard !store.isFollowed(key) else { return }
    store.superseded(in: key, by: policy, effects: &effects)
  }
  mutating func outdate(_ tasks: [TaskID]) { store.outdated(tasks, effects: &effects) }
  mutating func expire(_ task: TaskID, because reason: Refusal.Reason) {
    store.expired(task, because: reason, effects: &effects)
  }
  mutating func fail(_ task: TaskID, _ reason: Refusal.Reason) {
    store.failed(task, reason, effects: &effects)
  }
  @inline(__always)
  mutating func finish(_ task: TaskID, isError: Bool) {
    store.finished(task, isError: isError, effects: &effects)
  }
  mutating func disconnect(_ waiters: [WaiterID], _ notifications: [TaskID]) {
    store.disconnected(waiters, notifications, effects: &effects)
  }

  // MARK: Timers

  var isTimerDue: Bool { store.isTimerDue }
  mutating func fireTimer() { store.fireTimer(effects: &effects) }
  mutating func fireTimers(of task: TaskID) { store.fireTimers(of: task, effects: &effects) }

  // MARK: What tasks ask

  /// Keeps what is known of an admitted task, and its request as long as anybody may need that: it may start later, or
  /// be joined.
  @inline(__always)
  mutating func keep(
    _ task: TaskID, _ bytes: Span<UInt8>, _ envelope: Envelope, _ intent: TaskIntent, _ handling: Handling,
    _ terms: UpstreamTerms, of account: Int, byteCount: Int, isPrincipals: Bool
  ) {
    requests.reach(task.slot)
    requests[task.slot] = request(envelope, intent, handling, of: account)
    payloads.store(envelope.method.range, envelope.params.range, of: bytes, at: task.slot)
    if terms.takesLines, !envelope.isFreeOfLineBreaks, bytes.hasLineBreak(in: envelope.params.range) {
      // One message must not become two there.
      payloads.replaceLineBreaks(at: task.slot)
    }
    if !intent.traceparent.isEmpty, terms.passesTraces {
      traces.store(intent.traceparent.range, 0..<0, of: bytes, at: task.slot)
    }
    charge(account, byteCount: byteCount, isPrincipals: isPrincipals)
  }

  @inline(__always)
  private func request(
    _ envelope: Envelope, _ intent: TaskIntent, _ handling: Handling, of account: Int
  ) -> Request {
    var request = Request()
    request.account = account
    request.methodBytes = envelope.method.count
    request.compensation = handling.compensation
    request.admitted = Moment(nowMilliseconds)
    request.timeoutMilliseconds = intent.admission.timeoutMilliseconds
    request.isKeyed = !intent.key.isNone
    return request
  }

  /// It is of the partition at hand.
  mutating func notePartition(of slot: Int) {
    requests[slot].isInPartition = true
    partitions.add(slot)
  }

  mutating func noteBatched(_ slot: Int) { requests[slot].isBatched = true }

  /// Compares a request that may join with a task of its lane.
  func compare(
    _ newest: TaskID, _ envelope: Envelope, in bytes: Span<UInt8>, isOutdated: Bool,
    for admission: inout Admission
  ) {
    let division = requests[newest.slot].methodBytes
    if case .always = admission.join {
      admission.hasTheSameMethod = payloads.matchesFirst(
        envelope.method.range, of: bytes, at: newest.slot, dividedAt: division)
    } else {
      admission.asksTheSame =
        !isOutdated
        && payloads.matches(
          envelope.method.range, envelope.params.range, of: bytes, at: newest.slot, dividedAt: division)
    }
  }

  /// Whether a task must be undone if it succeeds too late.
  @inline(__always)
  func mayBeUndone(_ task: TaskID) -> Bool { requests[task.slot].compensation >= 0 }
  /// Whether a result of this task has to be undone: nobody wants it any more.
  func owesCompensation(_ task: TaskID) -> Bool { store.owesCompensation(task) }
  func isBatched(_ task: TaskID) -> Bool { requests[task.slot].isBatched }

  /// A task was sent. Nobody can join one in no lane: what it asked need not be kept, unless it may have to be undone.
  @inline(__always)
  mutating func wasSent(_ slot: Int) {
    if !requests[slot].isKeyed && requests[slot].compensation < 0 { forgetAsked(slot) }
  }

  /// A task that was sent is not wanted any more: what it asked is of use only for undoing it.
  mutating func wasLeft(_ slot: Int) {
    if requests[slot].compensation < 0 { forgetParams(slot) }
  }

  /// A task is no more: nothing is kept of it. Returns the client that has no notification left to be sent, or -1.
  @inline(__always)
  mutating func forget(_ slot: Int) -> Int {
    let client = requests[slot].isListed ? strike(slot) : -1
    let (account, askedBytes) = (requests[slot].account, requestByteCount(of: slot))
    payloads.forget(slot)
    if traces.byteCount > 0 { traces.forgetApart(slot) }
    discharge(account, byteCount: askedBytes)
    return client
  }

  /// Takes a task that is no more out of the lists that it is in.
  @inline(never)
  private mutating func strike(_ slot: Int) -> Int {
    let client = requests[slot].isUnsentNotification ? strikeNotification(slot) : -1
    if requests[slot].hasLongDrain { strikeLongDrain(slot) }
    if requests[slot].isOrdered { orders.end(slot, at: nowMilliseconds) }
    if requests[slot].isOfKind {
      requests[slot].isOfKind = false
      kinds.release(store.kind(inSlot: slot))
    }
    if requests[slot].isInPartition {
      requests[slot].isInPartition = false
      partitions.remove(slot)
    }
    return client
  }

  // MARK: Progress

  mutating func noteProgress(of waiter: WaiterID, _ times: ProgressTimes) {
    progressTimes.reach(waiter.slot)
    progressTimes[waiter.slot] = times
  }

  mutating func notePieces(of waiter: WaiterID, _ times: ProgressTimes) {
    pieceTimes.reach(waiter.slot)
    pieceTimes[waiter.slot] = times
  }

  /// Upstream reported progress of a task, or gave some of its answer: whoever waits for it has time again, as it has for
  /// that. Returns how many do.
  mutating func extendDeadlines(of task: TaskID, byPiece: Bool = false) -> Int {
    var (next, count) = (store.firstWaiter(of: task), 0)
    while let waiter = next {
      let times = byPiece ? pieceTimes[waiter.slot] : progressTimes[waiter.slot]
      let due = min(nowMilliseconds + UInt64(times.timeoutMilliseconds), times.latestMilliseconds)
      store.putOff(waiter, to: due)
      (next, count) = (store.waiter(after: waiter), count + 1)
    }
    return count
  }

  // MARK: Endings

  /// A task that ended while effects were performed: the store hears of it right afterwards.
  enum Ending {
    /// It has no result.
    case settled(TaskID)
    /// It cannot be sent any more.
    case doomed(TaskID)
  }

  @inline(__always)
  var hasEndings: Bool { !settled.isEmpty || !doomed.isEmpty }
  mutating func settle(_ task: TaskID) { settled.append(task) }
  mutating func doom(_ task: TaskID) { doomed.append(task) }

  mutating func takeEnding() -> Ending? {
    if let task = settled.popLast() { return .settled(task) }
    return doomed.popLast().map { .doomed($0) }
  }

  // MARK: Effects

  /// Whether more than one caller gets the answer at hand.
  var deliversToMany: Bool {
    var (index, count): (Int32, Int) = (0, 0)
    while index < effects.count, count < 2 {
      if case .deliver = effects[index] { count += 1 }
      index &+= 1
    }
    return count > 1
  }

  /// The bytes of the key that a caller is refused for; empty: it has none.
  mutating func keyBytes(of refusal: Refusal) -> [UInt8] {
    keyScratch.removeAll(keepingCapacity: true)
    if let key = refusal.key { keys.copyBytes(of: key.slot, into: &keyScratch) }
    return keyScratch
  }

  /// Upstream never hears of a task; returns whether that is not counted yet.
  mutating func noteSpared(_ slot: Int) -> Bool {
    guard !requests[slot].isSpared else { return false }
    requests[slot].isSpared = true
    return true
  }
}
