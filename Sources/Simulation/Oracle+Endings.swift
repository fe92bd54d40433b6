import GatewayCore
import TaskStore

/// Which tasks have ended, and which may have.
extension Oracle {
  /// Upstream heard the cancel and has not answered, and the gateway cannot have forgotten it.
  func isSurelyUnsettled(_ index: Int, beside other: Int) -> Bool {
    let task = tasks[index]
    // Of what two upstreams see in one turn nobody knows what was first, nor since when a call waited for its own.
    let other = tasks[other]
    let hasNotWaited = !upstreams[other.upstream].wasDown(since: other.admitted)
    let isEarlier = task.upstream == other.upstream || task.cancelSeen < turn && hasNotWaited
    guard task.isCancelSeen, isEarlier, task.isAtUpstream, !task.isUnheard else { return false }
    // Of one that its first caller left unseen nobody knows how long it may drain.
    guard task.creator != 0 else { return false }
    return nowMilliseconds < earliestForgetting(of: index)
  }

  /// Whether a task has ended, as anybody can see.
  func isOver(_ index: Int) -> Bool {
    let task = tasks[index]
    if task.isLost || task.isNotification && task.sighted > 0 { return true }
    guard task.answered > 0 else { return false }
    return task.isUndoable ? isUndoingOver(index) : true
  }

  /// Whether a task may have ended, or holds up nobody any more.
  mutating func mayHaveEnded(
    _ index: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Bool {
    if isOver(index) { return true }
    let task = tasks[index]
    // Whatever has to be undone is seen to be undone before anything that waits for it.
    if task.answered > 0 {
      let isExpired = nowMilliseconds >= task.answeredMilliseconds + bounds.shortestUndoingMilliseconds
      return task.undoing < 0 || isExpired
    }
    if task.isNotification {
      let upstream = upstreams[task.upstream]
      let mayBeDropped = upstream.wasDown(since: task.admitted) || upstream.isBacklogged || isShutDown
      return task.leftMilliseconds != .max || mayBeDropped
    }
    if isOpen(index, &core, clients) { return false }
    if task.sighted == 0 || task.isUnheard { return true }
    let isForgotten = nowMilliseconds >= earliestForgetting(of: index)
    return task.isUndoable
      ? isForgotten : nowMilliseconds >= earliestLeave(of: task) + task.drainMilliseconds
  }

  /// The earliest time at which the last caller can have left.
  private func earliestLeave(of task: TaskView) -> Int {
    var earliest = task.leftMilliseconds
    var number = task.firstCaller
    while number != 0 {
      earliest = min(earliest, records[number].deadlineMilliseconds)
      number = records[number].nextOfTask
    }
    return earliest
  }

  /// The earliest time at which the gateway may not know a task any more that upstream never ends.
  func earliestForgetting(of task: Int) -> Int {
    earliestLeave(of: tasks[task]) + tasks[task].drainMilliseconds + bounds.orphanMilliseconds
  }
}
