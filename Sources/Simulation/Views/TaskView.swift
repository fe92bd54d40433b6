import GatewayCore
import TaskStore

/// A task as it shows from outside: the request behind it, and what upstream saw of it.
struct TaskView {
  var id: UInt64
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
  /// So many tasks of its lane may run at once for it to start.
  var maxRunning = 1
  var priority = 0
  var isNotification = false
  /// It is on its way to upstream in an exchange of its own, or was.
  var isExchange = false
  /// It is known which requests may supersede it.
  var isNamed = false
  var isUndoable = false
  var dialect = CancelDialect.none
  /// Upstream answers it no more once it was cancelled.
  var isUnheard = false
  var drainMilliseconds = 0
  /// When the connection of its only caller went, so that nobody has waited for it since; `.max`: it is not so.
  var goneMilliseconds = Int.max
  /// It may have been forgotten to make room for others, since its client is gone.
  var mayBeForgotten = false
  /// The task that was spared at its admission, and which it waits for; -1: none.
  var spared = -1
  var firstCaller = 0
  var callerCount = 0
  /// It is counted among those that superseded something.
  var isSuperseding = false
  var notSentReplies = 0
  /// It may have waited for its upstream once it had started.
  var hasWaited = false
  /// When upstream saw it, in events and milliseconds; 0: never.
  var sighted = 0
  var sightedMilliseconds = 0
  /// It was seen in the turn in which it was sent.
  var isSightExact = false
  /// Counts all that upstreams see.
  var sightOrder = 0
  /// The link that it was sent over, and the number of the link's connection; -1: none.
  var link = -1
  var connection = 0
  /// When its answer was handed to the core, in events and milliseconds; 0: never.
  var answered = 0
  var answeredMilliseconds = 0
  var hasResult = false
  /// So many pieces of its answer were handed over.
  var pieceCount = 0
  var hasBadAnswer = false
  /// Its exchange failed, and then whether upstream may have got it.
  var hasFailed = false
  var hasFailedUnsent = false
  /// Its upstream connection is gone, or its exchange was aborted.
  var isLost = false
  /// The turn of the loop in which its cancel was seen; 0: not yet.
  var cancelSeen = 0
  /// A caller got its answer.
  /// When its answer was handed over that reached a caller; 0: it did not, as far as is known.
  var deliveredMilliseconds = 0
  var isDelivered = false
  /// The call that undoes it, when upstream has seen it; -1: none.
  var undoing = -1
  /// It is such a call.
  var isUndoing = false
  /// At the end of the last turn, or since time passed; nil: nobody waited for it.
  var state: TaskState?
  var seenOpenTurn = 0
  /// By when its last caller had left.
  var leftByMilliseconds = Int.max / 4
  /// By when it had outlived its grace.
  var orphanByMilliseconds = Int.max / 4
  /// When the burst of debounced tasks began that it goes on with, at the latest.
  var burstMilliseconds = 0
  /// The earliest time at which its last caller can have left.
  var leftMilliseconds = Int.max

  var isCancelSeen: Bool { cancelSeen > 0 }
  var isUpstreamKnown: Bool { creator != 0 || sighted > 0 }
  /// Without an answer.
  var hasEnded: Bool { isLost || hasFailed }
  var hasPiece: Bool { pieceCount > 0 }
  /// It is on its way, and nobody can have superseded it.
  var isSurelyOnItsWay: Bool {
    isExchange && isNotification && isNamed && isAtUpstream && leftMilliseconds == .max
  }
  var isAtUpstream: Bool { sighted > 0 && answered == 0 && !hasEnded }
  var waitsForEarlier: Bool {
    switch policy {
    case .wait, .cancelAndWait, .keepLatest, .preferPrevious: true
    case .cancel, .concurrent, .onAnswer: false
    }
  }

  /// Waiting tasks go by priority, and, among those of one account, by generation.
  func goesBefore(_ other: TaskView, hasSameAccount: Bool) -> Bool {
    priority == other.priority ? hasSameAccount && generation < other.generation : priority > other.priority
  }
}
