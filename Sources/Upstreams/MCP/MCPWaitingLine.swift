#if HTTPUpstreams
/// Messages that are to be posted, oldest first: each once what stands before it has left.
struct MCPWaitingLine {
  private var messages: [MCPMessage] = []
  /// So many of them have left.
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
    // So that none is moved for each that leaves: thousands of short ones may wait.
    if leftCount * 2 >= messages.count {
      messages.removeFirst(leftCount)
      leftCount = 0
    }
    return message
  }
}
#endif
