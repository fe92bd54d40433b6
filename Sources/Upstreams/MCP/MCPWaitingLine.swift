#if HTTPUpstreams
/// Messages that wait to be posted, oldest first.
struct MCPWaitingLine {
  private var messages: [MCPMessage] = []
  /// How many at the beginning of `messages` have left the line.
  private var leftCount = 0
  private(set) var byteCount = 0

  var isEmpty: Bool { leftCount == messages.count }
  var all: ArraySlice<MCPMessage> { messages[leftCount...] }

  mutating func append(_ message: MCPMessage) {
    messages.append(message)
    byteCount += message.bytes.count
  }

  mutating func popFirst() -> MCPMessage? {
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
