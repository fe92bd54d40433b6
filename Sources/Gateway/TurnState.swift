import HotData

/// What the gateway looks at in every turn of its loop, apart from the rest: a variable of an object is checked for
/// overlapping uses each time.
struct TurnState: ~Copyable {
  private let place = StaysInPlace()
  /// For when its timer is set; the largest number: it is not.
  var armedMilliseconds = UInt64.max
  /// Whether anything came from clients in this turn.
  var hasHeard = false
  /// Connections of HTTP are to read on at the turn's end.
  var isHTTPBehind = false
  /// What is left over from this turn waits for the next.
  var isPassingOver = false
  /// Nil unless it was told to stop.
  var drain: Drain?
  var closedForRoom = CountedWarning()
  var refusedMessages = CountedWarning()
  var failedAuthentications = CountedWarning()
  /// So many of the core's routes without a key were told of.
  var keylessRouteCount = 0
  /// Of all that the core counts to be told: each of these is at most what the core has counted of it.
  var toldCount: UInt64 {
    closedForRoom.count &+ refusedMessages.count &+ failedAuthentications.count
      &+ UInt64(truncatingIfNeeded: keylessRouteCount)
  }
  var watching = Watching()
  /// Watchers or other loops want something at its end.
  var isLookedAt = false
}
