import HotData
import JSONRPC
import TaskStore

/// Requests whose callers follow: when they are superseded, they get the newer one's answer.
extension GatewayCore {
  /// Why a request that says something of that, or of pieces, cannot be taken; nil: it can.
  @inline(never)
  mutating func fault(
    _ intent: TaskIntent, _ envelope: Envelope, _ route: Int, isPerConnection: Bool,
    in bytes: Span<UInt8>, from sender: Sender
  ) -> RPCError? {
    if edge.streams(intent), let error = pieceFault(envelope, in: bytes, from: sender) { return error }
    guard intent.admission.follows, !envelope.isNotification else { return nil }
    guard edge.mayFollow(intent, route, isPerConnection: isPerConnection, sender.client) else {
      return .invalidParams("task.superseded: this method does not allow \"follow\"")
    }
    edge.noteFollowers()
    return nil
  }

  /// A request of a kind has become a task, or has joined one.
  @inline(never)
  mutating func keepKind(of admission: Admission, _ task: TaskID, _ waiter: WaiterID?) {
    guard admission.kind != 0 else { return }
    lanes.keepKind(admission.kind, of: task)
    // A later caller of the task may have its answer in an array.
    lanes.noteBatched(task.slot)
    if let waiter, admission.follows { lanes.noteFollower(waiter) }
  }

  /// It has become none.
  @inline(never)
  mutating func giveBackKind(of admission: Admission) {
    if admission.kind != 0 { lanes.keepKind(admission.kind, of: nil) }
  }

  /// A caller whose task is superseded waits for the newer one from now on.
  @inline(never)
  mutating func follow(_ waiter: WaiterID, from older: TaskID, to newer: TaskID) {
    share.spend(messages: 1)
    edge.counters.followed += 1
    let reason = Refusal.Reason.superseded(by: lanes.generation(of: newer))
    lanes.note(effect(of: older.slot, reason, goesOn: false), of: waiter, from: older, to: newer)
    if !upstreams.isSent(older.slot), lanes.noteSpared(older.slot) { upstreams.noteSpared() }
    if lanes.journal.isOpen {
      lanes.note(.followed(lanes.generation(of: newer)), older, of: edge.client(of: waiter))
    }
  }
}
