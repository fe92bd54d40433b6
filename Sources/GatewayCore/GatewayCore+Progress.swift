import HotData
import JSONRPC
import TaskStore

/// What a task's callers get more of when upstream reports progress: the configured time, and how long that may go on.
struct ProgressTimes: BitwiseCopyable {
  var timeoutMilliseconds: UInt32 = 0
  var longestMilliseconds: UInt32 = 0
}

/// Progress that an upstream of a client's own reports: the configured deadlines of those who wait begin anew.
extension GatewayCore {
  /// A request was admitted for an upstream of its client's own.
  mutating func noteTokens(
    of task: TaskID, _ envelope: Envelope, _ route: Int, in bytes: Span<UInt8>, at upstream: Int
  ) {
    let asked = progress.asked(envelope.params, in: bytes)
    for token in [asked.workDone, asked.partialResult, asked.meta] {
      guard let token else { continue }
      let taskCount = upstreams[upstream].calls
      upstreams[upstream].tokens.add(token, of: task, taskCount: taskCount) { store.knows($0) }
      progressTimes.reach(task.slot)
      progressTimes[task.slot] = intents.progressTimes(route, of: router)
    }
  }

  /// So many tokens are kept.
  package var progressTokenCount: Int {
    var count = 0
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) { count += upstreams[slot].tokens.count }
    return count
  }

  /// Upstream said something of its own: if it is progress, whoever waits for that has time again.
  mutating func noteProgress(_ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int) {
    guard let token = progress.reported(envelope, in: bytes),
      let task = upstreams[sessions[slot].upstream].tokens[token],
      store.knows(task), calls[task.slot].progress == .sent, calls[task.slot].session == slot
    else { return }
    // What has passed has passed.
    if isLate, !fireOverdue(of: task) { return }
    extendDeadlines(of: task)
  }

  private mutating func extendDeadlines(of task: TaskID) {
    let times = progressTimes[task.slot]
    let admitted = calls[task.slot].admitted.milliseconds(by: nowMilliseconds)
    let due = min(
      nowMilliseconds + UInt64(times.timeoutMilliseconds), admitted + UInt64(times.longestMilliseconds))
    var waiters: [WaiterID] = []
    store.forEachWaiter(of: task) {
      waiters.append($0)
      return true
    }
    share.spend(messages: waiters.count)
    for waiter in waiters where !callers[waiter].hasOwnDeadline { store.putOff(waiter, to: due) }
  }
}
