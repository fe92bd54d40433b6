import HotData
import TaskStore

/// Room among all tasks: what was left behind by connections that are gone gives way to those who are here.
extension GatewayCore {
  /// Of the bound on tasks so many places are freed at once, one of so many parts: they pay for the walk over all tasks.
  private static let freedTaskPart = 128
  /// If there were fewer, none are looked for before so long.
  package static let taskSearchMilliseconds: UInt64 = 10

  /// Forgets tasks that nobody wants any more, whose clients are gone, and that leave nothing to be undone: orphans
  /// first, since they hold up nobody, then what drains.
  @inline(never)
  mutating func makeTaskRoom() {
    guard nowMilliseconds >= nextTaskSearchMilliseconds else { return }
    var lacking = max(1, store.limits.tasks / Self.freedTaskPart)
    for state in [TaskState.orphaned, .draining] {
      var slot = 1
      while lacking > 0 && slot < store.endSlot {
        if let task = store.task(inSlot: slot), store.state(of: task) == state, isLeftBehind(task) {
          counters.tasksForgotten += 1
          store.forgotten(task, effects: &effects)
          performEffects()
          lacking -= 1
        }
        slot += 1
      }
    }
    if lacking > 0 { nextTaskSearchMilliseconds = nowMilliseconds + Self.taskSearchMilliseconds }
  }

  private func isLeftBehind(_ task: TaskID) -> Bool {
    let account = calls[task.slot].account
    return account >= 0 && wantsNothing(accounts[account].client) && store.isForgettable(task)
  }

  /// Whether nobody is there any more: or only to read what is left for it.
  private func wantsNothing(_ client: Int) -> Bool {
    client < 0 || clients[client].hasEnded && clients[client].listener.cancelsAtEnd
  }
}
