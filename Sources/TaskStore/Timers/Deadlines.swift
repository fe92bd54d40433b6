/// Until when those wait whose tasks another store has, by the slots of the waiters.
package struct Deadlines: ~Copyable {
  private var queue = TimerQueue()

  package init() {}

  /// The largest number: there is none.
  package var dueMilliseconds: UInt64 {
    queue.nextRank == .max ? .max : Timer.dueMilliseconds(queue.nextRank)
  }

  /// Sets that of one that has none.
  package mutating func set(_ waiter: WaiterID, afterMilliseconds: UInt64, now: UInt64) {
    queue.set(.deadline, of: waiter.index, generation: 0, after: afterMilliseconds, now: now)
  }

  /// Of one that has one.
  package mutating func clear(_ waiter: WaiterID) { queue.clear(waiter.index) }

  /// The first of those that are due by now; it has none any more.
  package mutating func takeDue(now: UInt64) -> WaiterID? {
    guard dueMilliseconds <= now else { return nil }
    let waiter = WaiterID(index: queue.next)
    queue.clear(waiter.index)
    return waiter
  }
}
