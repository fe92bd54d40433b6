import TaskStore

/// A task as the machine of upstreams knows it: where it goes, and how far it got.
struct Call {
  enum Progress: UInt8 {
    /// Not started: it is in its lane's queue, or there is no task.
    case held
    /// Started, and waiting for an upstream connection or for room in its output.
    case waiting
    /// Written to the upstream connection.
    case sent
    /// A notification that is on its way in an exchange of its own, wanted or not: its delivery ends it.
    case delivering
    /// Sent, and told to cancel.
    case cancelSent
    /// It succeeded though nobody wanted it any more, and upstream was asked to undo it.
    case compensating
    /// Upstream has ended what nobody wanted any more: the store is about to drop it.
    case over
  }

  /// The slot of its upstream; -1: there is no task.
  @Compact var upstream = -1
  /// The slot of the connection that it was sent over; -1: none.
  @Compact var session = -1
  /// The allotment, at its upstream, of the account for which it counts.
  @Compact var allotment = -1
  /// Since when it waits to be sent, or for upstream's answer.
  var started = Moment(0)
  /// Since when upstream works on what nobody wants any more.
  var left = Moment(0)
  var progress = Progress.held
  /// How upstream is told that nobody wants it any more.
  var cancel = CancelDialect.none
  /// The higher goes first where requests wait for an upstream.
  var priority = UInt8(Route.usualPriority)
  private var traits = Bits<UInt8>()

  /// It is written to a connection, and upstream may know of it.
  @inline(__always)
  mutating func goes(over session: Int, at nowMilliseconds: UInt64) {
    progress = .sent
    self.session = session
    started = Moment(nowMilliseconds)
  }

  var isThere: Bool { upstream >= 0 }
  /// Whether upstream may know of it.
  var isSent: Bool { progress == .sent || progress == .cancelSent || progress == .delivering }
  /// Whether it is undone at present, or an undoing may follow its answer.
  var mayBeUndoneYet: Bool { isUndoneByOwn && (isSent || progress == .compensating) }
  /// Whether it was sent, even if upstream never got it.
  var hasBeenSent: Bool { isSent || progress == .compensating || isExchangeOver }
}

extension Call {
  var isNotification: Bool {
    get { traits[1] }
    set { traits[1] = newValue }
  }
  /// It is among those that are held back for an upstream of its client's own.
  var isHeldBack: Bool {
    get { traits[2] }
    set { traits[2] = newValue }
  }
  /// Its exchange has ended: there is nothing to abort.
  var isExchangeOver: Bool {
    get { traits[4] }
    set { traits[4] = newValue }
  }
  /// It goes to an upstream of its client's own, and is undone there if it succeeds when nobody wants it any more.
  var isUndoneByOwn: Bool {
    get { traits[8] }
    set { traits[8] = newValue }
  }
}
