#if HTTPUpstreams
import TaskStore

/// Messages that wait to be posted, oldest first.
struct MCPWaitingLine {
  private var messages: [MCPMessage] = []
  /// How many at the beginning of `messages` have left the line.
  private var leftCount = 0
  private(set) var byteCount = 0
  /// The tasks whose cancels wait. A cancel of any other task has been taken, and leaves the line unseen.
  private var cancelled: Set<TaskID> = []

  var isEmpty: Bool { leftCount == messages.count }
  var all: [MCPMessage] { messages[leftCount...].filter { !isTaken($0) } }

  mutating func append(_ message: MCPMessage) {
    messages.append(message)
    byteCount += message.bytes.count
    if let task = message.cancelled { cancelled.insert(task) }
  }

  mutating func popFirst() -> MCPMessage? {
    while let message = popNext() {
      if isTaken(message) { continue }
      if let task = message.cancelled { cancelled.remove(task) }
      return message
    }
    return nil
  }

  /// Takes a task's cancel out of its turn.
  /// - Returns: whether there was one.
  mutating func takeCancel(of task: TaskID) -> Bool { cancelled.remove(task) != nil }

  private func isTaken(_ message: MCPMessage) -> Bool {
    message.cancelled.map { !cancelled.contains($0) } ?? false
  }

  private mutating func popNext() -> MCPMessage? {
    guard !isEmpty else { return nil }
    let message = messages[leftCount]
    leftCount += 1
    byteCount -= message.bytes.count
    // Removed together, not one by one, as each removal moves all others: thousands of short ones may wait.
    if leftCount * 2 >= messages.count {
      messages.removeFirst(leftCount)
      leftCount = 0
    }
    return message
  }
}
#endif
