import HotData
import JSONRPC
import TaskStore

/// What a caller gets more of when upstream reports progress of what it waits for.
struct ProgressTimes: BitwiseCopyable {
  /// The configured time; 0: it gets none, for it says itself how long it waits, or waits for ever.
  var timeoutMilliseconds: UInt32 = 0
  /// It waits until then at most.
  var latestMilliseconds: UInt64 = 0
}

/// Progress that an upstream of a client's own reports: the configured deadlines of those who wait begin anew.
extension GatewayCore {
  /// A request was admitted for an upstream of its client's own. Where there is no deadline nothing is read.
  /// - Parameter hasOwnTime: the request says itself how long it waits.
  mutating func noteTokens(
    of task: TaskID, _ waiter: WaiterID, _ envelope: Envelope, _ route: Int, hasOwnTime: Bool,
    in bytes: Span<UInt8>, at upstream: Int
  ) {
    guard intents.configuredTimeout(route, of: router) < Admission.unlimited else { return }
    let asked = progress.asked(envelope.params, in: bytes)
    guard !asked.isEmpty else { return }
    noteTimes(of: waiter, route, hasOwnTime: hasOwnTime)
    for token in [asked.workDone, asked.partialResult, asked.meta] {
      guard let token else { continue }
      let taskCount = upstreams[upstream].calls
      upstreams[upstream].tokens.add(token, of: task, taskCount: taskCount) { store.knows($0) }
    }
  }

  /// A caller joined a task of an upstream of its client's own: that may have a token, if any has.
  @inline(never)
  mutating func noteJoining(_ waiter: WaiterID, _ route: Int, hasOwnTime: Bool, at upstream: Int) {
    if upstreams[upstream].tokens.count > 0 { noteTimes(of: waiter, route, hasOwnTime: hasOwnTime) }
  }

  private mutating func noteTimes(of waiter: WaiterID, _ route: Int, hasOwnTime: Bool) {
    progressTimes.reach(waiter.slot)
    progressTimes[waiter.slot] =
      hasOwnTime ? ProgressTimes() : intents.progressTimes(route, of: router, at: nowMilliseconds)
  }

  /// So many tokens are kept.
  package var progressTokenCount: Int {
    var count = 0
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) { count += upstreams[slot].tokens.count }
    return count
  }

  /// Upstream said something of its own: if it is progress, whoever waits for that has time again.
  mutating func heardProgress(_ envelope: Envelope, in bytes: Span<UInt8>, from slot: Int) {
    guard let token = progress.reported(envelope, in: bytes),
      let task = upstreams[sessions[slot].upstream].tokens[token],
      store.knows(task), calls[task.slot].progress == .sent, calls[task.slot].session == slot
    else { return }
    extendDeadlines(of: task)
  }

  private mutating func extendDeadlines(of task: TaskID) {
    var waiters: [WaiterID] = []
    store.forEachWaiter(of: task) {
      waiters.append($0)
      return true
    }
    share.spend(messages: waiters.count)
    for waiter in waiters {
      let times = progressTimes[waiter.slot]
      let due = min(nowMilliseconds + UInt64(times.timeoutMilliseconds), times.latestMilliseconds)
      store.putOff(waiter, to: due)
    }
  }
}
