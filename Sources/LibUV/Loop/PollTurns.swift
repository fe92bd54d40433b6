/// The sockets of one loop whose owners take long: so many of them are served in a turn, and none for the second time
/// before all others that are ready.
final class PollTurns: TurnEndWork {
  static let pollsPerTurn = 4

  private unowned let loop: EventLoop
  private var round: UInt32 = 1
  private var servedCount = 0
  private var isInTurn = false
  /// Somebody was ready, and there was no room in this turn.
  private var hasPassedOver = false

  init(on loop: EventLoop) { self.loop = loop }

  /// Whether a socket that is ready is served in this turn; if not, libuv tells of it again in the next.
  /// - Parameter lastRound: in which the socket was served before; 0 at first.
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
