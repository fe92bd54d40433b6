/// Messages that wait for a stream that takes nothing yet, oldest first.
final class MCPWaiting {
  let stream: HTTPConnection
  private var lines: [MCPUnsaid] = []
  /// So many of them have been said.
  private var passedCount = 0
  /// Without what each takes besides its line.
  private(set) var byteCount = 0
  /// The last one is the answer of the stream's own request, and all others belong to that.
  private(set) var isAnswered = false

  init(for stream: HTTPConnection) { self.stream = stream }

  var count: Int { lines.count - passedCount }
  var isEmpty: Bool { count == 0 }

  func append(_ unsaid: MCPUnsaid) {
    lines.append(unsaid)
    byteCount += unsaid.line.count
    isAnswered = unsaid.isAnswer
  }

  func removeFirst() -> MCPUnsaid? {
    guard passedCount < lines.count else { return nil }
    let first = lines[passedCount]
    lines[passedCount] = MCPUnsaid(line: [], request: nil)
    passedCount += 1
    byteCount -= first.line.count
    // The rest moves up seldom enough for each line to be moved about once.
    if 2 * passedCount >= lines.count {
      lines.removeFirst(passedCount)
      passedCount = 0
    }
    return first
  }
}

@available(*, unavailable)
extension MCPWaiting: Sendable {}
