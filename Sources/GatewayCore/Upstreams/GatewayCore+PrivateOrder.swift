import HotData
import JSONRPC
import TaskStore

/// What goes to an upstream of a client's own keeps its order: no request is sent behind a notification that came after
/// it.
extension GatewayCore {
  /// Whether this is a notification that requests must not be sent behind. Those that begin with `$/` change nothing
  /// that a request could ask about.
  func outdatesHeldBack(_ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    envelope.isNotification && !JSONString.begins(envelope.method, in: bytes, with: "$/")
  }

  /// A notification is about to be sent: the requests that are held back until later end.
  mutating func endHeldBack(at upstream: Int) {
    var tasks: [TaskID] = []
    var slot = upstreams[upstream].heldBack.first
    while slot != 0 {
      tasks.append(task(of: slot))
      slot = arrivalLinks.next(of: slot)
    }
    // A notification that is refused for want of room ends nothing.
    guard !tasks.isEmpty, store.taskCount - tasks.count < store.limits.tasks else { return }
    store.outdated(tasks, effects: &effects)
    performEffects()
  }

  /// A task was admitted for an upstream of its client's own.
  mutating func noteOrder(of task: TaskID, at upstream: Int, outdates: Bool) {
    if outdates { upstreams[upstream].lastNotification = store.generation(of: task) }
    guard !calls[task.slot].isNotification, store.state(of: task) == .queued else { return }
    calls[task.slot].isHeldBack = true
    arrivalLinks.append(task.slot, to: &upstreams[upstream].heldBack)
  }

  /// It starts, or ends.
  mutating func letGo(_ slot: Int) {
    calls[slot].isHeldBack = false
    arrivalLinks.remove(slot, from: &upstreams[calls[slot].upstream].heldBack)
  }
}
