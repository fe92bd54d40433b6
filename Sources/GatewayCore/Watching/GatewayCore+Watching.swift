import HotData
import JSONRPC
import TaskStore

// What is measured of every task, and what is noted of it while somebody watches.
extension GatewayCore {
  // MARK: The journal

  /// Notes from now on what happens to tasks, or no longer.
  /// - Parameter limitEvents: so many until `takeJournal`, of others only how many there were; nil: nobody watches.
  package mutating func watch(limitEvents: Int?) { journal.open(limitEvents: limitEvents) }

  /// Shows what was noted since the last time, and forgets it.
  package mutating func takeJournal(_ body: (borrowing TaskJournal) -> Void) {
    body(journal)
    journal.removeAll()
  }

  @inline(never)
  mutating func note(_ kind: TaskEvent.Kind, _ task: TaskID, of client: Int = -1) {
    if journal.takesMore() { journal.note(event(kind, task, of: client)) }
  }

  private func event(_ kind: TaskEvent.Kind, _ task: TaskID, of client: Int) -> TaskEvent {
    let age = calls[task.slot].admitted.age(at: nowMilliseconds)
    return TaskEvent(
      kind: kind, generation: store.generation(inSlot: task.slot), atMilliseconds: nowMilliseconds,
      ageMilliseconds: age, client: client)
  }

  @inline(never)
  mutating func noteAdmission(_ task: TaskID, _ admission: Admission, of client: Int) {
    guard journal.takesMore() else { return }
    noteWithText(event(.admitted(admission.policy), task, of: client), key: admission.key, task)
  }

  @inline(never)
  mutating func noteRefusal(
    _ refusal: Refusal, _ effect: UpstreamEffect, _ error: RPCError, of client: Int
  ) {
    guard journal.takesMore() else { return }
    let kind = TaskEvent.Kind.refused(
      refusal.reason, refusal.policy, effect, taskGoesOn: refusal.taskGoesOn)
    var event = event(kind, refusal.task, of: client)
    // Those who watch know both as superseded.
    if error.code == RPCError.contentModified.code { event.unusualCode = error.code }
    noteWithText(event, key: refusal.key, refusal.task)
  }

  private mutating func noteWithText(_ event: TaskEvent, key: TaskKey?, _ task: TaskID) {
    var event = event
    if let key { note(key, in: &event) }
    let methodBytes = calls[task.slot].methodBytes
    if payloads.count(of: task.slot) >= methodBytes {
      event.method = noteText { core, text in
        core.payloads.copyFirst(of: task.slot, dividedAt: methodBytes, into: &text)
      }
    }
    journal.note(event)
  }

  private mutating func note(_ key: TaskKey, in event: inout TaskEvent) {
    event.key = noteText { core, text in core.keys.copyBytes(of: key.slot, into: &text) }
    event.namespace = keys.namespace(of: key.slot)
  }

  private mutating func noteText(
    _ write: (borrowing GatewayCore, inout [UInt8]) -> Void
  ) -> Range<Int> {
    var text = journal.takeText()
    let start = text.count
    write(self, &text)
    let range = start..<text.count
    journal.putBack(text)
    return range
  }

  mutating func noteRejection(_ rejection: TaskEvent.Rejection, _ admission: Admission) {
    guard journal.isOpen, journal.takesMore() else { return }
    var event = TaskEvent(
      kind: .rejected(admission.policy, rejection), generation: 0, atMilliseconds: nowMilliseconds)
    if let key = admission.key { note(key, in: &event) }
    journal.note(event)
  }

  @inline(never)
  mutating func noteSent(_ task: TaskID) {
    note(.sent, task)
    // Nothing more is heard of it, unless it has an exchange of its own.
    let call = calls[task.slot]
    guard call.isNotification, !upstreams[call.upstream].takesExchanges else { return }
    note(.answered(isError: false), task)
  }

  /// An answer, or a delivery, by which a task has ended, wanted or not.
  @inline(never)
  mutating func noteAnswer(_ task: TaskID, isError: Bool) {
    let progress = calls[task.slot].progress
    let isWanted = progress == .sent || progress == .delivering && store.isLive(task)
    note(isWanted ? .answered(isError: isError) : .ended(isError ? .failed : .succeeded), task)
  }

  @inline(never)
  mutating func noteDrop(_ task: TaskID, _ call: Call) {
    // Of one that was still here its callers have heard; a notification has none.
    guard call.hasBeenSent || call.isNotification else { return }
    note(.ended(.silent), task)
  }

  // MARK: Times

  /// Upstream answered what somebody waits for.
  @inline(__always)
  mutating func noteTimes(_ call: Call) {
    times.upstream.record(call.started.age(at: nowMilliseconds))
    times.total.record(call.admitted.age(at: nowMilliseconds))
  }

  /// Upstream answered what nobody waits for any more, or an undoing.
  @inline(never)
  mutating func noteLateAnswer(_ task: TaskID, isError: Bool) {
    let call = calls[task.slot]
    guard call.progress == .cancelSent else {
      if isError { counters.compensationsFailed += 1 }
      return
    }
    counters.droppedLate += 1
    times.staleness.record(call.left.age(at: nowMilliseconds))
    if isError { noteSaved(call) }
  }

  /// Upstream ended a task before it was done.
  mutating func noteSaved(_ call: Call) {
    let spent = call.started.age(at: nowMilliseconds)
    counters.upstreamSavedMilliseconds += max(times.upstream.meanMilliseconds, spent) - spent
  }

  /// Upstream never hears of what was superseded or cancelled while it was still here.
  mutating func noteSpared(_ refusal: Refusal) {
    let slot = refusal.task.slot
    guard refusal.reason.isUnwanted, !refusal.taskGoesOn, !calls[slot].isSent, !calls[slot].isSpared
    else { return }
    calls[slot].isSpared = true
    counters.upstreamSavedMilliseconds += times.upstream.meanMilliseconds
  }
}

extension TaskEvent.Rejection {
  init(_ error: RPCError) {
    switch error.code {
    case RPCError.shuttingDown.code: self = .shuttingDown
    case RPCError.upstreamUnavailable.code: self = .upstreamUnavailable
    default: self = .overloaded
    }
  }
}

extension Refusal.Reason {
  /// Whether somebody said so, be it by asking for something newer.
  fileprivate var isUnwanted: Bool {
    switch self {
    case .superseded, .contentModified, .cancelled: true
    case .deadlineExceeded, .upstreamUnavailable, .badAnswer, .shuttingDown: false
    }
  }
}
