/// Decides when a gateway that was told to stop may do so.
///
/// That nothing is left to do is not enough: requests may lie in the kernel that came before anybody could know. So it
/// looks once more, and stops after a turn of the loop in which nothing came.
struct Drain {
  /// What to do at the end of a turn.
  enum Step: Equatable {
    /// Something is left to do.
    case wait
    /// Have another turn soon, to see whether something has come.
    case look
    /// The time is up: everything that is left ends. Then ask again.
    case giveUp
    case stop
  }

  /// More than a socket's buffer takes to be read, and an end even if there is always something.
  static let mostLooks = 256
  /// How long what was said last may take to be read.
  static let lastWordsMilliseconds = LingeringClose.Limits().openMilliseconds

  private(set) var deadlineMilliseconds: UInt64
  private(set) var hasGivenUp = false
  private var isLooking = false
  private var looksLeft = Drain.mostLooks

  init(deadlineMilliseconds: UInt64) { self.deadlineMilliseconds = deadlineMilliseconds }

  /// - Parameters:
  ///   - isQuiet: nothing is left to do.
  ///   - hasHeard: something came from clients in this turn.
  mutating func turnEnded(isQuiet: Bool, hasHeard: Bool, nowMilliseconds: UInt64) -> Step {
    guard isQuiet else {
      isLooking = false
      return nowMilliseconds < deadlineMilliseconds ? .wait : timeIsUp(nowMilliseconds)
    }
    if isLooking && !hasHeard || looksLeft == 0 { return .stop }
    isLooking = true
    looksLeft -= 1
    return .look
  }

  private mutating func timeIsUp(_ nowMilliseconds: UInt64) -> Step {
    guard !hasGivenUp else { return .stop }
    hasGivenUp = true
    deadlineMilliseconds = nowMilliseconds + Self.lastWordsMilliseconds
    return .giveUp
  }
}
