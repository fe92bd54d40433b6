import TaskStore

/// A message that gets a reply, as the oracle sees it.
struct RecordView {
  /// What the reply must be.
  enum Duty: Equatable {
    /// An answer of upstream's, or an error with a reason.
    case request
    /// What `MalformedMessage.all` says of this one.
    case malformed(Int)
    /// How many were cancelled: at most so many.
    case cancelCount(atMost: Int)
    /// The tasks of some lanes; -1: one of which little is known.
    case inspection(lanes: [Int])
    /// The client's principal, one of the population; nil: no client is asked.
    case authentication(Int?)
    /// An error, for its sender.
    case refusal(Int)
  }

  var request: Request
  var client = -1
  var duty = Duty.request
  var lane = -1
  /// The lanes that it takes back.
  var targets: [Int] = []
  /// When the core judged it, in events and in milliseconds; 0: not yet.
  var handled = 0
  var handledMilliseconds = 0
  /// Timers that were due then waited for their turn.
  var isHandledLate = false
  /// Under the configuration of that time.
  var terms = Terms()
  /// An index into the oracle's tasks; -1: not known.
  var task = -1
  /// That which it was admitted as; -1: none, or not known.
  var ownTask = -1
  /// Callers of one task, newest first; 0: none.
  var nextOfTask = 0
  /// The next request with the same id on this connection; 0: none.
  var nextTwin = 0
  /// The batch that it came in; -1: none.
  var batch = -1
  /// Its task was superseded, and it waits for a newer one.
  var hasFollowed = false
  /// Upstream had seen a task of its own by then.
  var hadArrived = false
  var isReplied = false
  /// By a result.
  var isResult = false
  /// Its connection is gone: it gets no reply.
  var isAbandoned = false
  /// Nobody can tell whether it was answered before its client wanted no more answers.
  var mayBeAbandoned = false
  var isRefusedByDrain = false
  var mayBeCancelled = false
  /// A notification came that it must not be sent behind.
  var mayBeOutdated = false
  var mayBeOverloaded = false
  var mayBeBusy = false
  var overtaking = Overtaking.no
  /// It takes something back, which a quota may refuse.
  var mayBeOverQuota = false
  var saidCancelSent = false
  /// So many pieces of its answer were heard, and which was the last.
  var pieceCount = 0
  var lastPiece = -1
  /// From this one on they came when its time was over.
  var firstLatePiece = Int.max
  /// It came alone and was not open afterwards.
  var isSurelyRejected = false

  /// Its replies are surely its own, and it is known which requests join which in its lane.
  var isClear: Bool { !request.isTwin && nextTwin == 0 && terms.key != Spelling.twinKey }
  var policy: DuplicatePolicy { terms.policy }
  var isOwed: Bool { handled > 0 && !isReplied && !isAbandoned }
  var supersedesOlder: Bool { policy == .cancel || policy == .cancelAndWait }
  /// Its time is over then at the earliest, and at the latest.
  var deadlineMilliseconds: Int {
    max(handledMilliseconds + terms.timeoutMilliseconds, surelyExtendedMilliseconds)
  }
  var latestDeadlineMilliseconds: Int { max(deadlineMilliseconds, perhapsExtendedMilliseconds) }
  /// Upstream reported progress of it: so long it waits since then, surely and perhaps.
  var surelyExtendedMilliseconds = 0
  var perhapsExtendedMilliseconds = 0
  var mayBeExtended: Bool { surelyExtendedMilliseconds > 0 || perhapsExtendedMilliseconds > 0 }
}
