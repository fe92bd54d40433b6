/// How long the gateway has waited for a client, as it shows from outside.
struct Timeouts {
  var connectedMilliseconds = 0
  /// When a whole message last arrived.
  var lastMessageMilliseconds = 0
  /// It may have been given up in this turn.
  var isOverdue = false
  /// For something else than a message that has not ended.
  var isOverdueOtherwise = false
  /// For a message that is not malformed and has not ended.
  var isOverdueForRequest = false
  /// It may have been given up in this turn before it was told to go: then it hears no more.
  var wasOverdue = false
  /// Since when a message is on its way in: at the earliest, and surely, without the gateway having paused.
  private(set) var midMessageSinceMilliseconds: Int?
  private(set) var surelyMidMessageSinceMilliseconds: Int?
  /// Since when it takes nothing, though nothing more is read from it.
  private(set) var stalledSinceMilliseconds: Int?

  mutating func received(isMidMessage: Bool, hasAdvanced: Bool, at milliseconds: Int) {
    if hasAdvanced { lastMessageMilliseconds = milliseconds }
    if !isMidMessage || hasAdvanced {
      midMessageSinceMilliseconds = nil
      surelyMidMessageSinceMilliseconds = nil
    }
    guard isMidMessage, midMessageSinceMilliseconds == nil else { return }
    midMessageSinceMilliseconds = milliseconds
    surelyMidMessageSinceMilliseconds = milliseconds
  }

  /// It is told to go, with this turn.
  mutating func hasToGo() {
    wasOverdue = isOverdue
    isOverdue = true
    isOverdueOtherwise = true
  }

  /// A client that is still there was not given up for anything noted so far.
  mutating func forgetOverdue() {
    isOverdue = false
    isOverdueOtherwise = false
    isOverdueForRequest = false
    wasOverdue = false
  }

  /// The client has authenticated only now; until then the gateway waited for that.
  mutating func isKnown(at milliseconds: Int) {
    lastMessageMilliseconds = milliseconds
    if surelyMidMessageSinceMilliseconds != nil { surelyMidMessageSinceMilliseconds = milliseconds }
  }

  /// At the end of each turn of the loop.
  /// - Parameter wasPaused: it was not read from at the beginning of the turn, or meanwhile.
  mutating func turnEnded(wasPaused: Bool, isStalled: Bool, hasTaken: Bool, at milliseconds: Int) {
    if wasPaused, surelyMidMessageSinceMilliseconds != nil {
      surelyMidMessageSinceMilliseconds = milliseconds
    }
    if !isStalled {
      stalledSinceMilliseconds = nil
    } else if hasTaken || stalledSinceMilliseconds == nil {
      stalledSinceMilliseconds = milliseconds
    }
  }
}
