import HotData
import TaskStore

/// Answers that come in pieces.
extension Lanes {
  /// Whether the callers of a task take its answer in pieces.
  func isStreaming(_ task: TaskID) -> Bool { requests[task.slot].isStreaming }

  /// Its callers take its answer in pieces; there are none yet.
  mutating func noteStream(of task: TaskID) {
    pieceCounts.reach(task.slot)
    pieceCounts[task.slot] = 0
    requests[task.slot].isStreaming = true
  }

  /// So many pieces its callers were given.
  func pieceCount(of task: TaskID) -> UInt32 {
    requests[task.slot].isStreaming ? pieceCounts[task.slot] : 0
  }

  /// Whether a request that takes pieces, or none, can have all that a task's callers get.
  func sharesPieces(_ task: TaskID, streams: Bool) -> Bool {
    isStreaming(task) == streams && pieceCount(of: task) == 0
  }

  /// Another piece is to be given; returns whether it is the first.
  mutating func givePiece(of task: TaskID) -> Bool {
    let isFirst = pieceCounts[task.slot] == 0
    store.gavePiece(task, isFirst: isFirst, effects: &effects)
    // Nobody counts further.
    if pieceCounts[task.slot] < .max { pieceCounts[task.slot] += 1 }
    return isFirst
  }

  /// Whether more than one waits for a task's answer.
  func hasManyCallers(_ task: TaskID) -> Bool {
    firstWaiter(of: task).flatMap { waiter(after: $0) } != nil
  }

  func firstWaiter(of task: TaskID) -> WaiterID? { store.firstWaiter(of: task) }
  func waiter(after waiter: WaiterID) -> WaiterID? { store.waiter(after: waiter) }

  /// Callers do not read what they are sent.
  mutating func giveUp(unread waiters: [WaiterID]) { store.unread(waiters, effects: &effects) }
}
