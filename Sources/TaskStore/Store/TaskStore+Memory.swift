import HotData

extension TaskStore {
  /// Gives back what the tables grew to. Nothing may be left in the store.
  ///
  /// An answer may still be on its way to a task that is long over: which use of a slot is next is not forgotten.
  package mutating func giveBackMemory() {
    precondition(isEmpty, "a task would be forgotten")
    for slot in 0..<Int32(truncatingIfNeeded: tasks.endSlot) {
      if Int(slot) == reuses.count { reuses.append(0) }
      reuses[slot] = tasks[slot].reuse
    }
    tasks = RecordTable(empty: TaskRecord())
    waiters = RecordTable(empty: WaiterRecord())
    lanes = RecordArray()
    index = LaneIndex()
    following = RecordArray()
    followers = RecordArray()
    deadlines.giveBackMemory()
    timers.giveBackMemory()
  }
}
