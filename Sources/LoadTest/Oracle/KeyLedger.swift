import TaskStore

/// What is known of one key from all connections together.
struct KeyLedger: Sendable {
  /// The newest request, by its number.
  var newest: UInt64 = 0
  /// The newest open one that nothing has superseded, and the newest superseding one that may not have been admitted.
  var newestWanted: UInt64 = 0
  var newestRefused: UInt64 = 0
  /// Two different requests that may supersede others, or join them; 0: there are fewer.
  var threats: (UInt64, UInt64) = (0, 0)
  var keepLatests: (UInt64, UInt64) = (0, 0)
  /// How many requests are open, and whether, since none was, one ended otherwise than superseded.
  private var openCount = 0
  private var hasWinner = false

  mutating func sent(_ request: OpenRequest) {
    newest = request.number
    if request.policy != nil { openCount += 1 }
    switch request.policy {
    case .cancel, .cancelAndWait, .onAnswer: threats = (request.number, threats.0)
    case .keepLatest: keepLatests = (request.number, keepLatests.0)
    case .wait, .concurrent, .preferPrevious, nil: break
    }
  }

  /// A request is not open any more.
  /// - Returns: whether at least one won of those that were open together, or may still do so.
  mutating func ended(_ request: OpenRequest, wasSuperseded: Bool) -> Bool {
    guard request.policy != nil else { return true }
    openCount -= 1
    if !wasSuperseded { hasWinner = true }
    guard openCount == 0 else { return true }
    defer { hasWinner = false }
    return hasWinner
  }

  /// Whether any other request may have superseded it, sent before or after it: connections have no common order.
  func mayBeSuperseded(_ request: OpenRequest) -> Bool {
    hasOther(threats, than: request) || request.policy == .keepLatest && hasOther(keepLatests, than: request)
  }

  private func hasOther(_ pair: (UInt64, UInt64), than request: OpenRequest) -> Bool {
    pair.0 != 0 && pair.0 != request.number || pair.1 != 0 && pair.1 != request.number
  }
}
