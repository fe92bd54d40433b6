import GatewayCore
import TaskStore

/// Which tasks have ended, and which may have.
extension Oracle {
  /// The gateway must still know this unwanted task: a call that upstream was told to give up, or one that undoes
  /// another.
  func isSurelyKnown(_ index: Int) -> Bool {
    let task = tasks[index]
    guard task.isAtUpstream, !isShutDown, !task.mayBeForgotten else { return false }
    if task.isNotification { return task.isSurelyOnItsWay }
    if task.isUndoing {
      let end = task.sightedMilliseconds + bounds.shortestUndoingMilliseconds
      return task.isSightExact && nowMilliseconds < end
    }
    // Of one that its first caller left unseen nobody knows how long it may drain.
    guard task.isCancelSeen, !task.isUnheard, task.creator != 0 else { return false }
    return nowMilliseconds < earliestForgetting(of: index)
  }

  /// Whether a task has ended, as anybody can see.
  func isOver(_ index: Int) -> Bool {
    let task = tasks[index]
    if task.hasEnded || task.isNotification && !task.isExchange && task.sighted > 0 { return true }
    guard task.answered > 0 else { return false }
    return task.isUndoable ? isUndoingOver(index) : true
  }

  /// Whether a task may have ended, or holds up nobody any more, when another one was sent.
  mutating func mayHaveEnded(
    _ index: Int, before other: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Bool {
    let task = tasks[index]
    if task.isNotification {
      guard task.sighted > 0 else { return mayBeDropped(task) || isOfNobody(task) }
      if task.isExchange { return isOver(index) || mayDrainNoMore(task) }
      return task.link != tasks[other].link || task.sightOrder < tasks[other].sightOrder
    }
    if isOver(index) { return true }
    // Whatever has to be undone is seen to be undone before anything that waits for it.
    if task.answered > 0 {
      let isExpired = nowMilliseconds >= task.answeredMilliseconds + bounds.shortestUndoingMilliseconds
      return task.undoing < 0 || isExpired
    }
    if isOpen(index, &core, clients) { return false }
    if task.sighted == 0 || task.isUnheard || task.mayBeForgotten { return true }
    let isForgotten = nowMilliseconds >= earliestForgetting(of: index)
    return task.isUndoable
      ? isForgotten : nowMilliseconds >= earliestLeave(of: task) + task.drainMilliseconds
  }

  /// Of a notification on its way: it holds up nobody once it has been superseded for long enough.
  private func mayDrainNoMore(_ notification: TaskView) -> Bool {
    let left = notification.leftMilliseconds
    return isShutDown || left != .max && nowMilliseconds >= left + notification.drainMilliseconds
  }

  /// Notifications that are on their way whatever happened before.
  var surelyOnTheirWay: Int {
    links.reduce(0) { $0 + $1.calls.count { tasks[$0].isSurelyOnItsWay } }
  }

  /// Whether its client is gone, be it only in this turn.
  private func isOfNobody(_ notification: TaskView) -> Bool {
    notification.creator != 0 && clients[records[notification.creator].client].goneTurn <= turn
  }

  func mayBeDropped(_ notification: TaskView) -> Bool {
    let upstream = upstreams[notification.upstream]
    let isOutOfReach =
      upstream.wasDown(since: notification.admitted) || upstream.isBacklogged || upstream.isLost
      || upstream.lastLoss >= notification.admitted
    let mayHaveBeenOpen = upstream.maybeOpenUntilMilliseconds > 0
    return notification.leftMilliseconds != .max || isOutOfReach || mayHaveBeenOpen || isShutDown
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
