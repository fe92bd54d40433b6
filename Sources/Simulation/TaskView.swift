import GatewayCore
import TaskStore

/// A task as it shows from outside: who asked for it, and what upstream saw of it.
struct TaskView {
  var id: UInt32
  /// 0: not known.
  var generation: UInt64 = 0
  var lane = -1
  /// By the terms of its creator; if that is not known, a guess until it was seen.
  var upstream = 0
  /// The request that it was admitted for; 0: not known.
  var creator = 0
  /// When that was, in events.
  var admitted = 0
  var policy = DuplicatePolicy.cancel
  var isNotification = false
  var isUndoable = false
  var dialect = CancelDialect.none
  /// Upstream answers it no more once it was cancelled.
  var isUnheard = false
  var drainMilliseconds = 0
  /// The task that was spared at its admission, and which it waits for; -1: none.
  var spared = -1
  var firstCaller = 0
  var callerCount = 0
  var notSentReplies = 0
  /// When upstream saw it, in events; 0: never.
  var sighted = 0
  /// The upstream connection that it was sent on, counted from 1.
  var connection = 0
  /// When its answer was handed to the core, in events and milliseconds; 0: never.
  var answered = 0
  var answeredMilliseconds = 0
  var hasResult = false
  var hasBadAnswer = false
  /// Its upstream connection is gone.
  var isLost = false
  /// The turn of the loop in which its cancel was seen; 0: not yet.
  var cancelSeen = 0
  /// A caller got its answer.
  var isDelivered = false
  /// The call that undoes it, when upstream has seen it; -1: none.
  var undoing = -1
  /// It is such a call.
  var isUndoing = false
  /// The earliest time at which its last caller can have left.
  var leftMilliseconds = Int.max

  var isCancelSeen: Bool { cancelSeen > 0 }
  var isUpstreamKnown: Bool { creator != 0 || sighted > 0 }
  var isAtUpstream: Bool { sighted > 0 && answered == 0 && !isLost }
  var waitsForEarlier: Bool {
    switch policy {
    case .wait, .cancelAndWait, .keepLatest, .preferPrevious: true
    case .cancel, .concurrent, .onAnswer: false
    }
  }
}
