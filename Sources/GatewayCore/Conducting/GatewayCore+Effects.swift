import HotData
import JSONRPC
import TaskStore

/// What the store decided is carried out here, in its order.
extension GatewayCore {
  /// Carries out the effects of the store, and those that follow from them.
  @inline(never)
  mutating func performEffects() {
    performAll(Span(), AnswerBody())
    effectsHaveEnded()
  }

  /// The same for the effects of an admission: mostly that a task starts.
  @inline(__always)
  mutating func performAdmission() {
    guard lanes.effects.count == 1, case .start(let task) = lanes.effects[0] else { return performEffects() }
    start(task)
    lanes.effects.removeAll()
    effectsHaveEnded()
  }

  /// The same for what an answer leads to, which nearly always is delivered to one caller first.
  /// - Parameter answer: in `bytes`.
  @inline(never)
  mutating func performAnswer(_ bytes: Span<UInt8>, _ answer: AnswerBody) {
    let isLong = answer.range.count >= configuration.sharedAnswerBytes
    if isLong { edge.beginSharing(isForMany: lanes.deliversToMany) }
    if lanes.effects.count > 0, case .deliver(let waiter) = lanes.effects[0] {
      deliver(waiter, bytes, answer)
      performAll(bytes, answer, from: 1)
    } else {
      performAll(bytes, answer)
    }
    if isLong { edge.forgetSharedAnswer() }
    effectsHaveEnded()
  }

  @inline(__always)
  private mutating func effectsHaveEnded() {
    if lanes.hasEndings { settle() }
  }

  /// Tells the store what ended while its effects were carried out, until nothing more comes of it.
  @inline(never)
  private mutating func settle() {
    while let ending = lanes.takeEnding() {
      switch ending {
      case .settled(let task):
        if lanes.isLive(task) { forgetCall(task.slot) }
        lanes.finish(task, isError: true)
      case .doomed(let task):
        noteLoss(task)
        lanes.fail(task, isShutDown ? .shuttingDown : .upstreamUnavailable)
      }
      hasSettled = true
      performAll(Span(), AnswerBody())
    }
  }

  @inline(__always)
  private mutating func performAll(_ bytes: Span<UInt8>, _ answer: AnswerBody, from first: Int32 = 0) {
    var index = first
    while index < lanes.effects.count {
      perform(lanes.effects[index], bytes, answer)
      index &+= 1
    }
    lanes.effects.removeAll()
  }

  @inline(__always)
  private mutating func perform(_ effect: TaskEffect, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    switch effect {
    case .refuse(let waiter, let refusal): refuse(waiter, refusal)
    case .follow(let waiter, let older, let newer): follow(waiter, from: older, to: newer)
    case .cancel(let task): cancel(task)
    case .drop(let task): drop(task)
    case .compensate(_, as: let undoing): compensate(undoing, bytes, answer.range)
    case .deliver(let waiter): deliverApart(waiter, bytes, answer)
    case .start(let task): start(task)
    case .retire(let key): lanes.retire(key)
    }
  }

  // MARK: Towards the client

  /// The commit point: what is appended here is the caller's, and is never withdrawn.
  @inline(__always)
  private mutating func deliver(_ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    share.spend(messages: 1)
    if peers.areThere, tellsLoop(of: waiter, bytes, answer) { return }
    edge.deliver(waiter, bytes, answer)
  }

  /// Tells the loop of a mirror's client the answer as it is; returns whether it did: else its mirror is written one.
  @inline(never)
  private mutating func tellsLoop(of waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) -> Bool {
    guard answer.range.count < configuration.sharedAnswerBytes, let (mirror, call) = edge.call(of: waiter),
      let loop = peers.loopThatTakesAnswers(of: mirror)
    else { return false }
    peers.answer(answer, in: bytes, toCall: call, at: loop)
    edge.noteDelivery(to: waiter, isError: answer.isError)
    return true
  }

  /// The same, where it is one of several effects.
  @inline(never)
  private mutating func deliverApart(_ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    deliver(waiter, bytes, answer)
  }

  @inline(never)
  private mutating func refuse(_ waiter: WaiterID, _ refusal: Refusal) {
    share.spend(messages: 1)
    let effect = effect(of: refusal.task.slot, refusal.reason, goesOn: refusal.taskGoesOn)
    // A caller that followed is told what became of its own request, too.
    let worst = effect.or(lanes.ownEffect(of: waiter, waitingFor: refusal.task))
    noteSpared(refusal)
    let (error, client) = edge.refuse(
      waiter, refusal, key: lanes.keyBytes(of: refusal), worst, pieces: lanes.pieceCount(of: refusal.task))
    if lanes.journal.isOpen { lanes.noteRefusal(refusal, effect, error, of: client) }
    edge.forgetCaller(waiter)
  }

  /// What upstream may have done of a task that a caller leaves.
  /// - Parameter goesOn: other callers still wait.
  func effect(of slot: Int, _ reason: Refusal.Reason, goesOn: Bool) -> UpstreamEffect {
    UpstreamEffect(
      reason, isSent: upstreams.isSent(slot), isTold: upstreams.isToldAndStops(slot), goesOn: goesOn)
  }

  /// Counts a task that was superseded or cancelled here: upstream never hears of it.
  private mutating func noteSpared(_ refusal: Refusal) {
    let slot = refusal.task.slot
    guard refusal.reason.isUnwanted, !refusal.taskGoesOn, !upstreams.isSent(slot), lanes.noteSpared(slot)
    else { return }
    upstreams.noteSpared()
  }

  // MARK: Towards upstream

  /// Starts a task: it is sent at once, or waits for room at its upstream.
  @inline(never)
  private mutating func start(_ task: TaskID) {
    let slot = task.slot
    let upstream = upstreams.begin(slot)
    guard upstream >= 0, !isShutDown else { return lanes.doom(task) }
    let terms = upstreams.terms(of: upstream)
    if let session = upstreams.sessionAtOnce(for: slot, at: upstream, terms) {
      send(task, terms, over: session)
    } else {
      upstreams.wait(
        slot, generation: lanes.generation(inSlot: slot), byteCount: lanes.askedByteCount(slot))
    }
  }

  /// Writes a task to its upstream under our own id.
  @inline(__always)
  private mutating func send(_ task: TaskID, _ terms: UpstreamTerms, over session: Int) {
    if !upstreams.writeLine(task, terms, asking: lanes.payloads, over: session) {
      writeAny(task, over: session)
    }
    sent(task, over: session)
  }

  @inline(never)
  private mutating func writeAny(_ task: TaskID, over session: Int) {
    let slot = task.slot
    upstreams.write(
      task, asking: lanes.payloads, lanes.traces, lanes.requests[slot], lanes.fence(of: slot), over: session)
  }

  @inline(__always)
  private mutating func sent(_ task: TaskID, over session: Int) {
    let slot = task.slot
    let isNotification = upstreams.noteSent(slot, over: session, admitted: lanes.requests[slot].admitted)
    if lanes.journal.isOpen { noteSent(task) }
    if isNotification { sentNotification(task, over: session) }
    lanes.wasSent(slot)
  }

  /// Written to a connection a notification has ended; with an exchange of its own it goes on until it is delivered.
  @inline(never)
  private mutating func sentNotification(_ task: TaskID, over session: Int) {
    noteSentAll(lanes.strikeNotification(task.slot))
    guard upstreams.isDelivering(task.slot, over: session) else { return lanes.settle(task) }
    // The message is with its exchange: nobody joins a notification, and nobody undoes one.
    lanes.forgetParams(task.slot)
  }

  /// - Parameter client: has no notification left to be sent; -1: nobody.
  private mutating func noteSentAll(_ client: Int) {
    if client >= 0, edge.setUnsent(client, false) { hasSettled = true }
  }

  /// Sends what waits, as far as there is room; returns whether there was any.
  @discardableResult
  mutating func sendWaiting(_ upstream: Int) -> Bool {
    guard upstreams.hasTurn(upstream), !upstreams.takesExchanges(upstream) else { return false }
    var hasSent = false
    while upstreams.hasTurn(upstream), let session = upstreams.freeSession(of: upstream) {
      send(takeFirstWaiting(upstream), upstreams.terms(of: upstream), over: session)
      performEffects()
      hasSent = true
    }
    return hasSent
  }

  private mutating func takeFirstWaiting(_ upstream: Int) -> TaskID {
    let slot = upstreams.firstWaiting(upstream)
    upstreams.takeFirstWaiting(upstream, byteCount: lanes.askedByteCount(slot))
    return lanes.task(of: slot)
  }

  /// Begins exchanges for what waits, as far as there is room.
  mutating func beginWaiting<Sink: GatewaySink & ~Copyable>(_ upstream: Int, into sink: inout Sink) {
    while upstreams.hasTurn(upstream), let session = upstreams.freeSession(of: upstream) {
      let task = takeFirstWaiting(upstream)
      upstreams.begin(
        task, asking: lanes.payloads, lanes.traces, lanes.requests[task.slot], lanes.fence(of: task.slot),
        over: session, into: &sink)
      sent(task, over: session)
      performEffects()
    }
  }

  /// Nobody wants this task any more: upstream is told, in its dialect, unless it never heard of it.
  @inline(never)
  private mutating func cancel(_ task: TaskID) {
    let slot = task.slot
    switch upstreams.cancel(task) {
    // Upstream knows no notification by an id: its exchange ends at most, if it is dropped.
    case .isDelivered: return
    case .isHere:
      // It has ended. A task that ends on its cancel is dropped by the store itself.
      if lanes.knows(task) { lanes.settle(task) }
    case .isTold:
      lanes.wasLeft(slot)
      if lanes.journal.isOpen { lanes.note(.cancelSent, task) }
    case .isNotTold: lanes.wasLeft(slot)
    }
  }

  /// Undoes a task that succeeded too late, by a request with its params and its result.
  @inline(never)
  private mutating func compensate(_ undoing: TaskID, _ bytes: Span<UInt8>, _ result: Range<Int>) {
    let request = lanes.requests[undoing.slot]
    upstreams.compensate(
      undoing, by: edge.compensation(request.compensation), asking: lanes.payloads,
      dividedAt: request.methodBytes, lanes.fence(of: undoing.slot), bytes, result)
  }

  // MARK: Endings

  /// Forgets a task of which nothing more will come. Whether an unanswered undoing was done nobody knows.
  @inline(never)
  private mutating func drop(_ task: TaskID) {
    let isLost = upstreams.drop(task, isUndoable: lanes.mayBeUndone(task))
    if isLost, lanes.journal.isOpen { lanes.noteDrop(task, upstreams.call(task.slot)) }
    forgetCall(task.slot)
  }

  /// Forgets what there was to know of a task, wherever it is. This is how every call ends, and it ends once: by its
  /// answer as long as somebody wants that, else when the store drops it.
  @inline(__always)
  mutating func forgetCall(_ slot: Int) {
    upstreams.forget(slot, byteCount: lanes.askedByteCount(slot))
    let client = lanes.forget(slot)
    if client >= 0 { noteSentAll(client) }
  }

  /// A task ends without an answer; a notification that was to be delivered is lost.
  mutating func fail(_ task: TaskID, _ reason: Refusal.Reason) {
    noteLoss(task)
    lanes.fail(task, reason)
    performEffects()
  }

  /// What nobody wants any more is no loss.
  private mutating func noteLoss(_ task: TaskID) {
    if upstreams.call(task.slot).isNotification && lanes.isLive(task) {
      upstreams.counters.notificationsLost += 1
    }
  }

  /// What upstream takes too long for is given up, as if its callers' time were over.
  mutating func expire(_ task: TaskID) {
    upstreams.noteFailure(ofCall: task.slot)
    end(task, because: .deadlineExceeded)
  }

  /// Nobody waits for a task any more, though upstream may still work on it: it is told.
  mutating func end(_ task: TaskID, because reason: Refusal.Reason) {
    lanes.expire(task, because: reason)
    performEffects()
  }

  // MARK: The journal

  /// From where a client's request comes; how, is known outside.
  private func origin(_ client: Int) -> TaskOrigin {
    TaskOrigin(
      client: ClientID(slot: client), connection: edge.number(of: client), hasHeads: edge.hasHeads(client),
      principal: edge.name(of: client))
  }

  @inline(never)
  mutating func noteAdmission(of task: TaskID, _ admission: Admission, from client: Int) {
    lanes.noteAdmission(task, admission, from: origin(client))
  }

  @inline(never)
  mutating func noteJoining(of task: TaskID, from client: Int) {
    lanes.noteJoining(task, from: origin(client))
  }

  /// A request did not become a task.
  @inline(never)
  mutating func note(_ rejection: TaskEvent.Rejection, _ admission: Admission, from sender: Sender) {
    if lanes.journal.isOpen { lanes.noteRejection(rejection, admission, from: origin(sender.client)) }
  }

  @inline(never)
  private mutating func noteSent(_ task: TaskID) {
    lanes.note(.sent, task)
    // Nothing more is heard of it, unless it has an exchange of its own.
    if upstreams.endsWhenSent(task.slot) { lanes.note(.answered(isError: false), task) }
  }

  /// An answer, or a delivery, by which a task has ended, wanted or not.
  @inline(never)
  mutating func noteAnswer(_ task: TaskID, isError: Bool) {
    let progress = upstreams.call(task.slot).progress
    let isWanted = progress == .sent || progress == .delivering && lanes.isLive(task)
    lanes.note(isWanted ? .answered(isError: isError) : .ended(isError ? .failed : .succeeded), task)
  }
}

extension Refusal.Reason {
  /// Whether a client decided so, be it by a newer request.
  fileprivate var isUnwanted: Bool {
    switch self {
    case .superseded, .contentModified, .cancelled: true
    case .deadlineExceeded, .upstreamUnavailable, .badAnswer, .shuttingDown, .unread: false
    }
  }
}
