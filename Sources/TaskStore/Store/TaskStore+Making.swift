import HotData

// Code on the path of every request is inlined by hand where a call costs as much as its body.
extension TaskStore {
  /// Where the next task goes.
  @inline(__always)
  mutating func takeSlot() -> Int32 {
    // Ids stay short while they can: no slot with a long one is used only to let others rest.
    let isLastShort = tasks.endSlot == TaskID.endOfShortSlots
    guard tasks.hasFree(atLeast: isLastShort ? 1 : Self.restingTasks) else { return takeFreshSlot() }
    return tasks.takeFree()
  }

  @inline(never)
  private mutating func takeFreshSlot() -> Int32 {
    let slot = tasks.takeFresh()
    tasks[slot].reuse = Int(slot) < reuses.count ? reuses[slot] : firstReuse
    return slot
  }

  /// A queued task with its first waiter, not in its lane yet.
  @inline(__always)
  mutating func newTask(_ request: Admission, at slot: Int32) -> TaskRecord {
    lastGeneration &+= generationStep
    // The first use of a slot is its use number 0.
    var task = TaskRecord(request, generation: lastGeneration, reuse: tasks[slot].reuse)
    if request.isNotification {
      liveNotifications += 1
    } else {
      task.firstWaiter = makeWaiter(of: slot, task.generation, timeout: request.timeoutMilliseconds)
      task.waiterCount = 1
    }
    return task
  }

  /// One more caller of a task that others wait for.
  mutating func addWaiter(to task: Int32, timeout milliseconds: UInt32) -> WaiterID {
    let slot = makeWaiter(of: task, tasks[task].generation, timeout: milliseconds)
    link(slot, to: task)
    return WaiterID(index: slot)
  }

  /// Adds a caller to a task, behind its other callers.
  mutating func link(_ slot: Int32, to task: Int32) {
    let first = tasks[task].firstWaiter
    precondition(first != 0, "a caller joined a task that nobody waits for")
    let last = waiters[first].previous
    waiters[last].next = slot
    waiters[slot] = WaiterRecord(task: task, previous: last)
    waiters[first].previous = slot
    tasks[task].waiterCount += 1
    countJoined(1, with: task)
  }

  /// A waiter with its deadline, the only one of its task for now.
  @inline(__always)
  private mutating func makeWaiter(of task: Int32, _ generation: UInt64, timeout milliseconds: UInt32)
    -> Int32
  {
    let slot = waiters.take()
    waiters[slot] = WaiterRecord(task: task, previous: slot)
    let time = milliseconds == Admission.unlimited ? Self.foreverMilliseconds : UInt64(milliseconds)
    deadlines.set(.deadline, of: slot, generation: generation, after: time, now: nowMilliseconds)
    return slot
  }

  /// No process lives so long: 34 years.
  private static let foreverMilliseconds: UInt64 = 1 << 40
}
