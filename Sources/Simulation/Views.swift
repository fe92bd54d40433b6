import TaskStore

/// A message that gets a reply, as the oracle sees it.
struct RecordView {
  /// What the reply must be.
  enum Duty: Equatable {
    /// An answer of upstream's, or an error with a reason.
    case request
    /// What `Oddity.all` says of this one.
    case oddity(Int)
    /// How many were cancelled: at most so many.
    case cancelCount(atMost: Int)
    /// What is in a lane; -1: one of which little is known.
    case inspection(lane: Int)
  }

  var request: Request
  var client = -1
  var duty = Duty.request
  var lane = -1
  /// When the core judged it, in events and in milliseconds; 0: not yet.
  var handled = 0
  var handledMilliseconds = 0
  /// By what it is decided, under the configuration of that time.
  var policy = DuplicatePolicy.cancel
  var isUndoable = false
  var timeoutMilliseconds = 0
  var drainMilliseconds = 0
  /// An index into the oracle's tasks; -1: not known.
  var task = -1
  /// Callers of one task, newest first; 0: none.
  var nextOfTask = 0
  /// The next request with the same id on this connection; 0: none.
  var nextTwin = 0
  /// The batch that it came in; -1: none.
  var batch = -1
  var isReplied = false
  /// Its connection is gone: it gets no reply.
  var isAbandoned = false
  var isRefusedByDrain = false
  var mayBeCancelled = false
  var mayBeOverloaded = false
  var mayBeBusy = false
  var mayBeUnavailable = false
  var saidCancelSent = false
  /// It came alone and was not open afterwards.
  var isSurelyRejected = false

  /// Its replies are surely its own, and who joins whom in its lane is known.
  var isClear: Bool { !request.isTwin && nextTwin == 0 && request.key != Spelling.twinKey }
  var isOwed: Bool { handled > 0 && !isReplied && !isAbandoned }
  var supersedesOlder: Bool { policy == .cancel || policy == .cancelAndWait }
  var deadlineMilliseconds: Int { handledMilliseconds + timeoutMilliseconds }
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
  var isUndoable = false
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
  var isCancelSeen = false
  /// A caller got its answer.
  var isDelivered = false
  /// The call that undoes it, when upstream has seen it; -1: none.
  var undoing = -1
  /// It is such a call.
  var isUndoing = false
  /// The earliest time at which its last caller can have left.
  var leftMilliseconds = Int.max

  var isAtUpstream: Bool { sighted > 0 && answered == 0 && !isLost }
  var waitsForEarlier: Bool {
    switch policy {
    case .wait, .cancelAndWait, .keepLatest, .preferPrevious: true
    case .cancel, .concurrent, .onAnswer: false
    }
  }
}

/// A namespace and key, as they show from outside.
struct LaneView {
  /// From this event on, nothing below this generation may be answered, but for one that was spared.
  struct Barrier {
    var event: Int
    var generation: UInt64
    var spared: UInt64 = 0

    func forbids(_ delivery: Delivery) -> Bool {
      event < delivery.event && delivery.generation < generation && delivery.generation != spared
    }
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
  /// A request came and went with the same bytes: it may have joined a task, or have left one that drains.
  var hadUnseen = false
  var barriers: [Barrier] = []
  var deliveries: [Delivery] = []
  /// The earliest time since which it may have superseded and delivered nothing.
  var staleSinceMilliseconds: Int?
}

/// What upstream said to a call; its number is in its result.
struct AnswerView {
  var task: Int
  var ask = 0
  var kind: Answer.Kind
  var form: Int
  /// When it was handed to the core, in events and milliseconds; 0: not yet.
  var handed = 0
  var handedMilliseconds = 0
  /// It is the first good answer to a call of this connection: only such a one may reach anybody.
  var isFirst = false
  /// Nobody waited for it when it came, and its task is one that is undone.
  var mustBeUndone = false

  /// A call is over once any of these has come, if it is the call's own id that it names.
  var endsCall: Bool { kind == .result || kind == .error || kind == .both }
}

/// Who asks the same, and how.
struct AskView {
  var form: UInt8 = 0
  var requestCount = 0
  /// The one that asks, if there is just one.
  var request = 0
  /// Calls that upstream has seen, and those of them that undo others.
  var occurrences = 0
  var undoings = 0
}

/// A connection as the oracle sees it.
struct ClientView {
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// Some of them had the same id: nobody knows which of those are answered.
  var hadTwins = false
  var hadBatches = false
  /// Replies with an id of null: how many may have come, must have come, and have come.
  var nullsAllowed: [Int: Int] = [:]
  var nullsDue: [Int: Int] = [:]
  var nullsHeard: [Int: Int] = [:]
}
