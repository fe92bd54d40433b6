import HotData
import JSONRPC
import TaskStore

/// What is noted of tasks while somebody watches.
extension Lanes {
  @inline(never)
  mutating func note(_ kind: TaskEvent.Kind, _ task: TaskID, of client: Int = -1) {
    if journal.takesMore() { journal.note(event(kind, task, of: client)) }
  }

  private mutating func note(_ key: TaskKey, in event: inout TaskEvent) {
    event.key = noteText { lanes, text in lanes.keys.copyBytes(of: key.slot, into: &text) }
    event.namespace = Namespace(ofKey: keys.namespace(of: key.slot))
  }

  private func event(_ kind: TaskEvent.Kind, _ task: TaskID, of client: Int) -> TaskEvent {
    let age = requests[task.slot].admitted.age(at: nowMilliseconds)
    return TaskEvent(
      kind: kind, generation: store.generation(inSlot: task.slot), atMilliseconds: nowMilliseconds,
      ageMilliseconds: age, client: client)
  }

  @inline(never)
  mutating func noteAdmission(_ task: TaskID, _ admission: Admission, from origin: TaskOrigin) {
    guard journal.takesMore() else { return }
    var event = event(.admitted(admission.policy), task, of: origin.client.slot)
    event.origin = journal.place(of: origin)
    noteWithText(event, key: admission.key, task)
  }

  @inline(never)
  mutating func noteJoining(_ task: TaskID, from origin: TaskOrigin) {
    guard journal.takesMore() else { return }
    var event = event(.joined, task, of: origin.client.slot)
    event.origin = journal.place(of: origin)
    journal.note(event)
  }

  @inline(never)
  mutating func noteRefusal(
    _ refusal: Refusal, _ effect: UpstreamEffect, _ error: RPCError, of client: Int
  ) {
    guard journal.takesMore() else { return }
    let kind = TaskEvent.Kind.refused(
      refusal.reason, refusal.policy, effect, taskGoesOn: refusal.taskGoesOn)
    var event = event(kind, refusal.task, of: client)
    // Watchers know both codes as superseded.
    if error.code == RPCError.contentModified.code { event.unusualCode = error.code }
    noteWithText(event, key: refusal.key, refusal.task)
  }

  private mutating func noteWithText(_ event: TaskEvent, key: TaskKey?, _ task: TaskID) {
    var event = event
    if let key { note(key, in: &event) }
    let methodBytes = requests[task.slot].methodBytes
    if payloads.count(of: task.slot) >= methodBytes {
      event.method = noteText { lanes, text in
        lanes.payloads.copyFirst(of: task.slot, dividedAt: methodBytes, into: &text)
      }
    }
    journal.note(event)
  }

  private mutating func noteText(
    _ write: (borrowing Lanes, inout [UInt8]) -> Void
  ) -> Range<Int> {
    var text = journal.takeText()
    let start = text.count
    write(self, &text)
    let range = start..<text.count
    journal.putBack(text)
    return range
  }

  @inline(never)
  mutating func noteRejection(
    _ rejection: TaskEvent.Rejection, _ admission: Admission, from origin: TaskOrigin
  ) {
    guard journal.takesMore() else { return }
    var event = TaskEvent(
      kind: .rejected(admission.policy, rejection), generation: 0, atMilliseconds: nowMilliseconds,
      client: origin.client.slot, origin: journal.place(of: origin))
    if let key = admission.key { note(key, in: &event) }
    journal.note(event)
  }

  @inline(never)
  mutating func noteDrop(_ task: TaskID, _ call: Call) {
    // Of one that was still here its callers have heard; a notification has none.
    guard call.hasBeenSent || call.isNotification else { return }
    note(.ended(.silent), task)
  }
}

extension TaskEvent.Rejection {
  init(_ error: RPCError) {
    switch error.code {
    case RPCError.shuttingDown.code: self = .shuttingDown
    case RPCError.upstreamUnavailable.code, RPCError.invalidRequest.code: self = .upstreamUnavailable
    default: self = .overloaded
    }
  }
}
