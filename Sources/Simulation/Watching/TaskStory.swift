import GatewayCore
import TaskStore

extension Refusal.Reason {
  fileprivate var isUnwanted: Bool {
    switch self {
    case .superseded, .contentModified, .cancelled, .deadlineExceeded, .unread: true
    case .badAnswer(.longPiece), .badAnswer(.manyPieces): true
    case .upstreamUnavailable, .badAnswer, .shuttingDown: false
    }
  }
}

/// What was told of one task so far.
struct TaskStory {
  /// How it was admitted; nil: nothing was told of that.
  var policy: DuplicatePolicy?
  var admittedMilliseconds: UInt64 = 0
  var key: [UInt8] = []
  var method: [UInt8] = []
  /// Callers that wait for it. A notification counts as one of its own.
  var callers = 0
  /// Somebody joined or left: it is no notification.
  var hadCallers = false
  var isSent = false
  var isCancelSent = false
  /// The last to leave was told that a cancel is sent, or was gone itself.
  var mayBeCancelled = false
  var owesCancel = false
  /// Nobody wants it any more, or nobody will by the end of the event at hand.
  var isUnwanted = false
  /// It was answered, or its end was told.
  var hasEnded = false

  /// It is a notification, as far as can be seen: nobody has heard of it, or joined.
  var isUnheard: Bool { callers == 1 && !hadCallers }

  /// There is nothing more to tell of it.
  var isOver: Bool { hasEnded || !isSent && callers == 0 }

  // MARK: What may be told next, and what it changes

  /// Each returns whether it was in order.
  mutating func join() -> Bool {
    defer { (callers, hadCallers) = (callers + 1, true) }
    return callers > 0 && !isUnwanted
  }

  mutating func send() -> Bool {
    defer { isSent = true }
    return callers > 0 && !isUnwanted
  }

  /// - Parameter goesOn: others still wait.
  mutating func refuse(_ reason: Refusal.Reason, _ effect: UpstreamEffect, goesOn: Bool) -> Bool {
    let wasUnwanted = isUnwanted
    leave()
    if !goesOn { isUnwanted = true }
    // An exchange is aborted, though nobody can say that its upstream stops.
    mayBeCancelled = effect == .cancelSent || isSent && effect == .mayHaveCompleted && reason.isUnwanted
    owesCancel = effect == .cancelSent
    // Upstream may turn out not to have got it after all.
    let isEffectRight =
      isSent
      ? effect != .notSent || reason == .upstreamUnavailable
      : effect == (goesOn ? .mayHaveCompleted : .notSent)
    return callers >= 0 && (goesOn ? callers > 0 && !wasUnwanted : true) && isEffectRight
  }

  /// A caller waits for a newer task from now on.
  mutating func follow() -> Bool {
    leave()
    (isUnwanted, mayBeCancelled) = (true, true)
    return callers >= 0
  }

  mutating func abandon() -> Bool {
    leave()
    if callers == 0 { (isUnwanted, mayBeCancelled) = (true, true) }
    return callers >= 0
  }

  private mutating func leave() { (callers, hadCallers) = (callers - 1, true) }

  mutating func cancel() -> Bool {
    defer { (isCancelSent, owesCancel) = (true, false) }
    return isSent && callers == 0 && mayBeCancelled
  }

  mutating func answer() -> Bool {
    defer { hasEnded = true }
    return isSent && callers > 0 && !isUnwanted
  }

  mutating func end(_ ending: TaskEvent.Ending) -> Bool {
    defer { hasEnded = true }
    guard isSent else { return ending == .silent && callers == 1 && !hadCallers }
    if isUnheard { return ending != .failed }
    return callers == 0 && isUnwanted && !owesCancel
  }
}
