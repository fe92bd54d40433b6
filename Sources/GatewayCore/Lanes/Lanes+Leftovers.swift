import HotData
import TaskStore

/// Counts what is left in the tables, which must be nothing when all is over, and gives their memory back.
extension Lanes {
  var waiterCount: Int { store.waiterCount }
  var keyCount: Int { keys.count }
  var orderCount: Int { orders.count }
  /// Accounts of connections, including connections that are gone.
  var accountCount: Int { accounts.count - principalCount }
  func state(of task: TaskID) -> TaskState { store.state(of: task) }

  var isEmptyHanded: Bool {
    keys.count == 0 && payloads.byteCount == 0 && traces.byteCount == 0 && store.hasNoTasks
  }

  func noteLeftovers(_ note: (String, Int) -> Void) {
    note("tasks", store.taskCount)
    note("tasks of some state", store.taskCount == 0 && store.counts != TaskCounts() ? 1 : 0)
    note("waiters", store.waiterCount)
    note("timers", store.timerCount)
    note("keys", keys.count)
    note("bytes of payloads", payloads.byteCount)
    note("tasks of principals", principals.indices.reduce(0) { $0 + abs(principals[$1].tasks) })
    note("bytes of principals", principals.indices.reduce(0) { $0 + abs(principals[$1].requestBytes) })
    note("orders", orders.count)
    note("tasks of partitions", partitions.taskCount)
    note("bytes of requests that came too early", partitions.putOffByteCount)
    note("long drains", requests.indices.count { requests[$0].hasLongDrain })
    note("bytes of requests counted for the wrong one", abs(requestByteCount - accountedRequestBytes))
  }

  /// The sum of all accounts, including those of connections that are gone.
  var accountedRequestBytes: Int { accounts.indices.reduce(0) { $0 + accounts[$1].requestBytes } }

  /// What is kept of a task's params.
  func paramsByteCount(_ slot: Int) -> Int { max(0, payloads.count(of: slot) - requests[slot].methodBytes) }
  func isCompensated(_ slot: Int) -> Bool { requests[slot].compensation >= 0 }

  /// The namespaces of all keys that are in use. Looks at the whole table.
  var namespaces: [Namespace] { keys.namespaces.map { Namespace(ofKey: $0) } }

  // MARK: Memory

  var holdsForgottenPages: Bool { payloads.holdsForgottenPages }
  /// Takes about a millisecond.
  private static let pageBytesPerTurn = 16 * 1024 * 1024
  mutating func giveBackForgottenPages() {
    if holdsForgottenPages { payloads.giveBackForgottenPages(upTo: Self.pageBytesPerTurn) }
  }

  /// Whether the tables have grown to more than is always kept.
  var hasManySlots: Bool { store.slotCount > configuration.keptSlots }
  var isEmpty: Bool { store.isEmpty }
  var countedGeneration: UInt64 { store.countedGeneration }
  func generations(since counted: UInt64) -> UInt64 { store.generations(since: counted) }

  /// Gives back what the tables grew to; there must be no task.
  mutating func giveBackTables() {
    store.giveBackMemory()
    keys.giveBackMemory()
    payloads.giveBackMemory()
    traces.giveBackMemory()
    requests = SlotArray(empty: Request())
    accountLinks = SlotLinks()
    longDrainLinks = SlotLinks()
    usualDrains = SlotArray(empty: 0)
    progressTimes = SlotArray(empty: ProgressTimes())
    pieceTimes = SlotArray(empty: ProgressTimes())
    pieceCounts = SlotArray(empty: UInt32(0))
    orders.giveBackMemory()
  }

  // MARK: Gauges

  var taskCounts: TaskCounts { store.counts }
  var payloadByteCount: Int { payloads.byteCount }
  /// Tasks that outlived their drain grace, since the start.
  var orphansSoFar: UInt64 { store.orphansSoFar }

  /// The lanes with the most tasks, the fullest first; of equals the older.
  /// - Parameter taskLimit: so many of the newest tasks of each.
  func fullest(limit: Int, taskLimit: Int) -> [LaneView] {
    store.fullestLanes(limit: limit).map { key in
      var bytes: [UInt8] = []
      keys.copyBytes(of: key.slot, into: &bytes)
      return LaneView(
        namespace: Namespace(ofKey: keys.namespace(of: key.slot)), key: bytes, counts: store.counts(in: key),
        tasks: store.newestTasks(in: key, limit: taskLimit))
    }
  }
}
