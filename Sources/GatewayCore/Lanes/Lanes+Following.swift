import HotData
import JSONRPC
import TaskStore

/// Callers that follow: whose task is superseded, they wait for the newer one's answer.
extension Lanes {
  /// Tells the kind of a request's answer, if the request follows, or another of its lane might.
  @inline(never)
  mutating func takeKind(
    for admission: inout Admission, _ envelope: Envelope, in bytes: Span<UInt8>, streams: Bool
  ) {
    guard isCompared(admission) else { return }
    admission.kind = kinds.take(bytes.extracting(envelope.method.range), streams: streams)
  }

  /// The same of a request that may be refused yet: there is nothing to give back of it.
  func findKind(
    for admission: inout Admission, _ envelope: Envelope, in bytes: Span<UInt8>, streams: Bool
  ) {
    guard isCompared(admission) else { return }
    admission.kind = kinds.find(bytes.extracting(envelope.method.range), streams: streams)
  }

  private func isCompared(_ admission: Admission) -> Bool {
    guard let key = admission.key, !admission.isNotification else { return false }
    return admission.follows || store.isFollowed(key)
  }

  /// A request of a kind has become this task, or has joined it; nil: it was refused.
  mutating func keepKind(_ kind: Int32, of task: TaskID?) {
    guard let task, !requests[task.slot].isOfKind else { return kinds.release(kind) }
    requests[task.slot].isOfKind = true
  }

  /// Whether a caller of a task that a request would supersede gets an error by that.
  func leaves(_ waiter: WaiterID, whenSupersededBy request: Admission) -> Bool {
    store.leaves(waiter, whenSupersededBy: request)
  }

  /// Notes what upstream may have done of a caller's own request; from now on the caller waits for a newer one's
  /// answer.
  mutating func note(_ effect: UpstreamEffect, of waiter: WaiterID, from older: TaskID, to newer: TaskID) {
    store.note(effect.rawValue, of: waiter, from: older, to: newer)
  }

  /// The same for a caller that waits for a task, and may have come to it by following.
  func ownEffect(of waiter: WaiterID, waitingFor task: TaskID) -> UpstreamEffect {
    store.mark(of: waiter, waitingFor: task).flatMap { UpstreamEffect(rawValue: $0) } ?? .notSent
  }

  /// The answer that a caller follows to has been promised to it for as long as it waits, not longer.
  mutating func noteFollower(_ waiter: WaiterID) {
    noteProgress(of: waiter, ProgressTimes())
    notePieces(of: waiter, ProgressTimes())
  }
}
