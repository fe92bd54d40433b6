import HotData

// For the store's users with bounds of their own: the tasks that a request would end make room for it.
extension TaskStore {
  package func outlook(of request: Admission) -> Outlook {
    guard let key = request.key, let newest = newestLive(in: key) else { return .isTask }
    if request.mayJoin { return .joins(newest) }
    return request.policy == .preferPrevious ? .busy : .isTask
  }

  /// Shows the tasks that a request would supersede, until `body` has seen enough.
  /// - Parameter body: gets a task and whether it would be no more at once, as far as the store knows; returns whether
  ///   to go on.
  package func forEachSuperseded(
    by request: Admission, _ outlook: Outlook, _ body: (TaskID, _ endsAtOnce: Bool) -> Bool
  ) {
    guard let key = request.key, key.slot < lanes.count, outlook != .busy else { return }
    let reach = Reach(policy: request.effectivePolicy, spared: spared(by: request, in: key))
    if reach.policy == .keepLatest { return showQueuedKeepLatest(in: lanes[key.index], outlook, body) }
    guard reach.policy.supersedesAtAdmission else { return }
    guard lanes[key.index].isIndexed else { return showOnly(in: lanes[key.index], outlook, body) }
    // Only tasks older than the one that it joins.
    var below = UInt64.max
    if case .joins(let task) = outlook { below = tasks[task.index].generation }
    var walk = LiveWalk(fromNewestOf: index[key])
    while let slot = takeNewest(&walk) {
      guard slot != reach.spared, tasks[slot].generation < below else { continue }
      if !body(id(of: slot), endsAtOnce(slot)) { return }
    }
  }

  private func showOnly(in lane: Lane, _ outlook: Outlook, _ body: (TaskID, _ endsAtOnce: Bool) -> Bool) {
    guard lane.first != 0, tasks[lane.first].state.isLive, outlook == .isTask else { return }
    _ = body(id(of: lane.first), endsAtOnce(lane.first))
  }

  private func showQueuedKeepLatest(
    in lane: Lane, _ outlook: Outlook, _ body: (TaskID, _ endsAtOnce: Bool) -> Bool
  ) {
    guard lane.queuedKeepLatest != 0 else { return }
    if case .joins(let task) = outlook, !isOlder(lane.queuedKeepLatest, than: task.index) { return }
    _ = body(id(of: lane.queuedKeepLatest), true)
  }

  private func endsAtOnce(_ slot: Int32) -> Bool {
    tasks[slot].state == .queued || tasks[slot].endsOnCancel
  }

  /// Shows the callers of a task, oldest first, until `body` has seen enough.
  package func forEachWaiter(of task: TaskID, _ body: (WaiterID) -> Bool) {
    var waiter = tasks[task.index].firstWaiter
    while waiter != 0, body(WaiterID(index: waiter)) { waiter = waiters[waiter].next }
  }

  /// The caller that has waited longest for a task's answer; nil: there is none.
  package func firstWaiter(of task: TaskID) -> WaiterID? { named(tasks[task.index].firstWaiter) }
  /// The next caller of the same task.
  package func waiter(after waiter: WaiterID) -> WaiterID? { named(waiters[waiter.index].next) }

  private func named(_ waiter: Int32) -> WaiterID? { waiter == 0 ? nil : WaiterID(index: waiter) }
}
