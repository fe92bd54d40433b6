/// Takes turns among the sockets of one loop whose owners take long: a few are served in each turn, and none a second
/// time before all others that are ready.
final class PollTurns: TurnEndWork {
  static let pollsPerTurn = 4

  private unowned let loop: EventLoop
  private var round: UInt32 = 1
  private var servedCount = 0
  private var isInTurn = false
  /// Whether a socket was ready that this turn had no room for.
  private var hasPassedOver = false

  init(on loop: EventLoop) { self.loop = loop }

  /// Returns whether a ready socket is served in this turn; if not, libuv reports it again in the next.
  /// - Parameter lastRound: the round in which the socket was served last; 0 at first.
  func serves(_ lastRound: inout UInt32) -> Bool {
    if !isInTurn {
      isInTurn = true
      loop.atTurnEnd(self)
    }
    guard lastRound != round else { return false }
    guard servedCount < Self.pollsPerTurn else {
      hasPassedOver = true
      return false
    }
    lastRound = round
    servedCount += 1
    return true
  }

  func turnEnded() {
    (isInTurn, servedCount) = (false, 0)
    if hasPassedOver { hasPassedOver = false } else { round &+= 1 }
  }
}

@available(*, unavailable)
extension PollTurns: Sendable {}
