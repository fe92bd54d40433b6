import HotData
import JSONRPC
import TaskStore

/// What open requests ask: a quarter of `memoryBytes`, and at most `payloadBytes`.
extension Lanes {
  /// Bytes of methods, params and traces that are kept.
  package var requestByteCount: Int { payloads.byteCount &+ traces.byteCount }

  @inline(__always)
  func requestByteCount(of slot: Int) -> Int {
    payloads.count(of: slot) &+ (traces.byteCount > 0 ? traces.count(of: slot) : 0)
  }

  @inline(__always)
  private mutating func count(requestBytes byteCount: Int, of account: Int) {
    countOwn(requestBytes: byteCount, of: account)
    if accounts[account].principal != 0 {
      count(tasks: 0, requestBytes: byteCount, ofPrincipal: accounts[account].principal)
    }
  }

  /// The same, but not for its principal.
  @inline(__always)
  mutating func countOwn(requestBytes byteCount: Int, of account: Int) {
    let before = accounts[account].requestBytes
    let after = before &+ byteCount
    accounts[account].requestBytes = after
    if SizeClasses.mayDiffer(before, after) { noteSize(of: account, from: before, to: after) }
  }

  /// A client that is gone cannot make room.
  @inline(never)
  private mutating func noteSize(of account: Int, from before: Int, to after: Int) {
    if accounts[account].client >= 0 { requestSizes.move(from: before, to: after) }
  }

  @inline(__always)
  func isAtABound(asking askedBytes: Int, of account: Int) -> Bool {
    accounts[account].tasks >= configuration.tasksPerConnection
      || requestByteCount + askedBytes > requestLimitBytes || store.taskCount >= store.limits.tasks
  }

  /// So much may open requests ask.
  var mostRequestBytes: Int { requestLimitBytes }
  /// Bytes kept of a task's request, without its trace.
  @inline(__always)
  func askedByteCount(_ slot: Int) -> Int { payloads.count(of: slot) }
  func account(of task: TaskID) -> Int { requests[task.slot].account }

  // MARK: What would be superseded

  func outlook(of admission: Admission) -> Outlook { store.outlook(of: admission) }
  func forEachSuperseded(by admission: Admission, _ outlook: Outlook, _ body: (TaskID, Bool) -> Bool) {
    store.forEachSuperseded(by: admission, outlook) { body($0, $1) }
  }
  func forEachWaiter(of task: TaskID, _ body: (WaiterID) -> Bool) { store.forEachWaiter(of: task, body) }

  /// Whether there may be one more task if so many end before.
  func hasTaskRoom(without ending: Int) -> Bool { store.taskCount - ending < store.limits.tasks }

  /// A request is taken that may be too much, for its client asks little.
  mutating func lendRequestRoom(_ askedBytes: Int) {
    if requestByteCount + askedBytes > requestLimitBytes { hasLentRequestRoom = true }
  }

  /// Whether what was lent is too much: then others make room.
  mutating func takeLentRequestRoom() -> Bool {
    guard hasLentRequestRoom else { return false }
    hasLentRequestRoom = false
    return requestByteCount > requestLimitBytes
  }

  // MARK: What was left behind

  var endSlot: Int { store.endSlot }
  func client(of task: TaskID) -> Int { accounts[requests[task.slot].account].client }

  /// The task in a slot, if it is in this state and may be forgotten.
  func forgettable(inSlot slot: Int, _ state: TaskState) -> TaskID? {
    guard let task = store.task(inSlot: slot), store.state(of: task) == state,
      requests[slot].account >= 0, store.isForgettable(task)
    else { return nil }
    return task
  }

  mutating func forgetLeftBehind(_ task: TaskID) {
    counters.tasksForgotten += 1
    store.forgotten(task, effects: &effects)
  }

  // MARK: What is kept

  /// What a task asked is not needed any more.
  @inline(__always)
  mutating func forgetAsked(_ slot: Int) {
    count(requestBytes: -payloads.count(of: slot), of: requests[slot].account)
    payloads.forgetApart(slot)
  }

  /// Only the method is needed from now on.
  mutating func forgetParams(_ slot: Int) {
    let before = payloads.count(of: slot)
    payloads.forgetSecond(of: slot, dividedAt: requests[slot].methodBytes)
    count(requestBytes: payloads.count(of: slot) - before, of: requests[slot].account)
  }

  /// Whether another client's requests have twice as many bytes as this client's would have, or more.
  func isMuchLess(_ byteCount: Int) -> Bool { SizeClasses.number(of: byteCount) < requestSizes.highest }

  /// The clients that ask much, in the order in which they make room.
  var askers: [Holder] {
    var askers: [Holder] = []
    for slot in accounts.indices {
      let account = accounts[slot]
      guard account.client >= 0, account.requestBytes >= SizeClasses.leastBytes else { continue }
      askers.append(
        Holder(client: account.client, principal: account.principal, byteCount: account.requestBytes))
    }
    return Holder.inOrder(askers)
  }
}
