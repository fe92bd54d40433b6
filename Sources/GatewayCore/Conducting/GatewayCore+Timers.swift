import TaskStore

/// Timers that become due, of tasks and at upstreams; a turn has room for a number of them.
extension GatewayCore {
  /// Whether anything that has come waits to be handled.
  package var holdsInput: Bool { edge.holdsInput || upstreams.holdsAnswers }

  /// Whether there is more to do at once: what has come, or timers that are due.
  package var isBehind: Bool { isLate || holdsInput }

  /// Whether this turn has handled so many bytes of messages, checked so many signatures, or ended so many requests of
  /// clients that are gone, that nothing else should wait for more of that.
  package var hasWorkedMuch: Bool { workBytes >= Self.muchBytes }

  private static let muchBytes = 512 * 1024
  /// To end one takes as long as to read so many bytes of a long message.
  static let bytesPerEndedRequest = 256

  /// Fires one more share of the timers that are due.
  package mutating func goOnWithTimers() {
    guard isLate else { return }
    timersLeft = configuration.turnTimers
    fireDue()
  }

  /// All that is due, in order, as far as the turn has room for it.
  mutating func fireDue() {
    isLate = false
    fireTimers()
    forgetOrders()
    if peers.loop.isInFleet { firePartitions() }
    for upstream in upstreams.slots where upstreams.isThere(upstream) { timeAdvanced(atUpstream: upstream) }
  }

  /// Fires timers that are due without new time: of tasks without any time, and those left over from an earlier turn.
  @inline(__always)
  mutating func fireMore() {
    if isLate || lanes.isTimerDue { fireWhatIsDue() }
  }

  @inline(never)
  private mutating func fireWhatIsDue() {
    if isLate && timersLeft > 0 { fireDue() } else { fireTimers() }
  }

  private mutating func fireTimers() {
    while lanes.isTimerDue, mayFire() {
      lanes.fireTimer()
      performEffects()
    }
  }

  /// Whether there is room in this turn for one more timer, which is due.
  mutating func mayFire() -> Bool {
    guard timersLeft > 0 else {
      isLate = true
      return false
    }
    timersLeft -= 1
    return true
  }

  /// Fires a task's due timers before it ends: messages may come before timers, but no caller is answered after its
  /// time has passed. Returns whether the task is still there.
  @inline(never)
  mutating func fireOverdue(of task: TaskID) -> Bool {
    lanes.fireTimers(of: task)
    performEffects()
    if lanes.isLive(task), let due = upstreams.answerDueMilliseconds(ofCall: task.slot),
      due <= nowMilliseconds
    {
      expire(task)
    }
    return lanes.knows(task)
  }

  private mutating func timeAdvanced(atUpstream upstream: Int) {
    for index in upstreams.sessions(of: upstream).indices {
      let slot = upstreams.sessions(of: upstream)[index]
      while let call = upstreams.overdueCall(of: slot), mayFire() { expire(lanes.task(of: call)) }
      // One that was never there takes nothing with it, not even an upstream of a client's own.
      if upstreams.connectsTooLong(slot) { lose(slot) }
    }
    // What has waited too long for a connection.
    while let call = upstreams.overdueWaiting(upstream), mayFire() {
      fail(lanes.task(of: call), .upstreamUnavailable)
    }
  }
}
