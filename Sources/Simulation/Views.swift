import TaskStore

/// A message that gets a reply, as the oracle sees it.
struct RecordView {
  var request: Request
  var client = -1
  /// An index into `Oddity.all`; -1: an ordinary request.
  var oddity = -1
  var lane = -1
  /// When the core judged it, in events and in milliseconds; 0: not yet.
  var handled = 0
  var handledMilliseconds = 0
  /// An index into the oracle's tasks; -1: not known.
  var task = -1
  /// Callers of one task, newest first; 0: none.
  var nextOfTask = 0
  /// The next request with the same id on this connection; 0: none.
  var nextTwin = 0
  var isReplied = false
  /// Its connection is gone: it gets no reply.
  var isAbandoned = false
  var isRefusedByDrain = false
  var mayBeCancelled = false
  var mayBeOverloaded = false
  var mayBeBusy = false
  var mayBeUnavailable = false
  var saidCancelSent = false

  /// Its replies are surely its own, and who joins whom in its lane is known.
  var isClear: Bool { !request.isTwin && nextTwin == 0 && request.key != Spelling.twinKey }
  var isOwed: Bool { handled > 0 && !isReplied && !isAbandoned }
}

/// A task as it shows from outside: who asked for it, and what upstream saw of it.
struct TaskView {
  var id: UInt32
  /// 0: not known.
  var generation: UInt64 = 0
  var lane = -1
  /// The request that it was admitted for; 0: not known.
  var creator = 0
  /// When that was, in events.
  var admitted = 0
  var policy = DuplicatePolicy.cancel
  var isNotification = false
  var drainMilliseconds = 0
  var firstCaller = 0
  var callerCount = 0
  var notSentReplies = 0
  /// When upstream saw it, in events; 0: never.
  var sighted = 0
  /// When its answer was handed to the core, in events; 0: never.
  var answered = 0
  var hasBadAnswer = false
  /// Its upstream connection is gone.
  var isLost = false
  var isCancelSeen = false
  /// The upstream connection that it was sent on, counted from 1.
  var connection = 0
  /// The earliest time at which its last caller can have left.
  var leftMilliseconds = Int.max

  var isAtUpstream: Bool { sighted > 0 && answered == 0 && !isLost }
}

/// A namespace and key, as they show from outside.
struct LaneView {
  /// From this event on, nothing below this generation may be answered.
  struct Barrier {
    var event: Int
    var generation: UInt64
  }

  /// An answer reached a caller: when it was handed to the core, and of which task.
  struct Delivery {
    var event: Int
    var generation: UInt64
  }

  /// Older ones are forgotten: what they forbid, newer ones forbid as well.
  static let barrierLimit = 16
  static let deliveryLimit = 32

  /// Tasks that have not ended, as far as is known.
  var tasks: [Int] = []
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// A request came and went with the same bytes, and may have joined a task meanwhile.
  var mayHaveUnseenCallers = false
  var barriers: [Barrier] = []
  var deliveries: [Delivery] = []
}

/// What upstream said to a call; its number is in its result.
struct AnswerView {
  var task: Int
  var kind: Answer.Kind
  var form: Int
  /// When it was handed to the core, in events and milliseconds; 0: not yet.
  var handed = 0
  var handedMilliseconds = 0
  /// It is the first good answer to a call of this connection: only such a one may reach anybody.
  var isFirst = false

  /// A call is over once any of these has come, if it is the call's own id that it names.
  var endsCall: Bool { kind == .result || kind == .error || kind == .both }
}

/// Who asks the same, and how.
struct AskView {
  var form: UInt8 = 0
  var requestCount = 0
  /// The one that asks, if there is just one.
  var request = 0
  /// Calls that upstream has seen.
  var occurrences = 0
}

/// A connection as the oracle sees it.
struct ClientView {
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// Replies with an id of null: how many may have come, must have come, and have come.
  var nullsAllowed: [Int: Int] = [:]
  var nullsDue: [Int: Int] = [:]
  var nullsHeard: [Int: Int] = [:]
}
