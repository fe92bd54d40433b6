import HotData
import JSONRPC
import TaskStore

/// The gateway without its sockets: bytes, connections and time go in as events, bytes and wishes come out of `flush`.
///
/// A request's way: `received` frames and scans it, `admit` asks the store, `perform` carries out the store's
/// effects. An answer's way: `upstreamReceived` finds the task by our own id, tells the store, and `perform`
/// delivers, or does not. Nothing is written while an event is worked on; output collects until `flush`.
package struct GatewayCore: ~Copyable {
  private let place = StaysInPlace()
  package private(set) var configuration: GatewayConfiguration
  /// Routes of this configuration whose first request had no key where they look for it, in the order of those requests.
  package var keylessRoutes: [Int] { intents.keylessRoutes }
  var router: Router
  var store: TaskStore
  var keys: KeyTable
  var payloads = PayloadTable(divider: MessageWriter.beforeParams)
  /// The `traceparent` of those tasks that came with one, for upstreams that are told.
  var traces = PayloadTable()
  var clients = Slab<ClientSession>()
  /// Those of the configuration first, then those that clients have for themselves.
  var upstreams = Slab<Upstream>()
  var sessions = Slab<UpstreamSession>()
  /// Connections to close and forget when the turn ends.
  var endedSessions: [Int] = []
  /// What the gateway knows of each task, by the task's slot.
  var calls = SlotArray(empty: Call())
  /// By where it stands at its upstream; where it waits for that; and, of all that wait, by when they started.
  var callLinks = SlotLinks()
  var waitingLines = WaitingLines()
  var allotments = AllotmentTable()
  var arrivalLinks = SlotLinks()
  var callers: CallerTable
  var accounts = AccountTable()
  /// How much those of clients that are there ask.
  var requestSizes = SizeClasses()
  /// Notifications that were not sent, by account.
  var accountLinks = SlotLinks()
  /// Tasks that may drain for longer, by account, and for how long once their client is gone.
  var patientLinks = SlotLinks()
  var usualDrains = SlotArray(empty: UInt32(0))
  /// Of tasks that upstream may report progress of.
  var progressTimes = SlotArray(empty: ProgressTimes())
  var batches = Slab<Batch>()
  /// Each client's batches, numbered from 1.
  var batchLinks = SlotLinks()

  var effects = TaskEffects()
  var sharedAnswer = SharedAnswer()
  /// Tasks that ended while effects were performed: the store hears of them right afterwards.
  var settled: [TaskID] = []
  /// The same of tasks that cannot be sent any more.
  var doomed: [TaskID] = []
  /// There were any of both since the flush began.
  var hasSettled = false
  var dirtyClients: [Int] = []
  /// Clients of whom something is held, the next in turn first; they are numbered from 0, the list's slots from 1.
  var turns = SlotList()
  /// Those of whom nothing has been handled since: their turn is before that of the others.
  var newTurns = SlotList()
  /// So many turns of these were one after the other.
  var newTurnsInARow = 0
  var turnLinks = SlotLinks()
  /// The same of upstream connections.
  var answerTurns = SlotList()
  var answerTurnLinks = SlotLinks()
  /// What is left of the share of the client or the upstream connection at hand.
  var share = TurnShare()
  /// So long were the messages that came in pieces and were handled in this turn; what clients that are gone had open
  /// counts, too.
  var workBytes = 0
  /// Timers that may still fire in this turn, and whether there are more that are due.
  var timersLeft: Int
  package internal(set) var isLate = false
  /// From whom nothing more is to be read in this turn; -1: nobody.
  var heldUpClient = -1
  /// The upstream connection that got much output in this turn; -1: none.
  var earlySession = -1
  var waiting = ClientPatience()
  var memoryPlan = MemoryPlan()
  /// Those that are still to be told.
  var refusedNotifications: [RefusedNotification] = []
  /// The connections of which one was told of. Few have any: there is no place for it in each of them.
  var clientsToldOf: Set<Int> = []
  var intents: TaskIntentReader
  var targets: TaskTargetReader
  var progress: ProgressTokenReader
  /// The bytes of a key on their way into an answer.
  var keyScratch: [UInt8] = []
  var random: SplitMix64
  /// Of clients' output, and of upstreams'.
  let blocks = BlockPool()
  let upstreamBlocks = BlockPool()
  /// What clients half sent, answers that wait for others of their batches, and what the shell has still to send.
  var inputBytes = 0
  var batchBytes = 0
  var shellBytes = 0
  var upstreamInputBytes = 0
  /// So much may be held for clients, and so much may open requests ask.
  var clientLimitBytes = Int.max
  var requestLimitBytes = Int.max
  /// A small client's request was taken though there was no room for it: before the turn ends others make some.
  var hasLentRequestRoom = false
  /// The bounds of what upstreams say, apart from that of a message's length.
  var upstreamScan = ScanLimits()
  /// No place for a task is looked for before that.
  var nextTaskSearchMilliseconds: UInt64 = 0
  var connectionsSoFar: UInt64 = 0
  var privateSoFar = 0
  /// Those of them that are not closed: one that is may outlive its client until its last task has ended.
  var openPrivateCount = 0
  package internal(set) var counters = GatewayCounters()
  package internal(set) var times = GatewayTimes()
  var journal = TaskJournal()
  package internal(set) var nowMilliseconds: UInt64 = 0
  package internal(set) var isDraining = false
  /// Everything has been given up: nothing starts any more.
  private(set) var isShutDown = false

  /// - Parameter seed: the source of everything random in here: the key table's hash and the back-off's jitter.
  package init(_ configuration: GatewayConfiguration, seed: UInt64, nowMilliseconds: UInt64) {
    self.configuration = configuration
    self.nowMilliseconds = nowMilliseconds
    timersLeft = configuration.turnTimers
    intents = TaskIntentReader(configuration)
    targets = TaskTargetReader(configuration)
    router = Router(configuration.routes, seed: seed)
    store = TaskStore(limits: configuration.store)
    random = SplitMix64(seed: seed)
    keys = KeyTable(seed: random.next())
    callers = CallerTable(seed: random.next())
    progress = ProgressTokenReader(seed: seed)
    store.timeAdvanced(to: nowMilliseconds)
    makeSharedUpstreams()
    noteAllotments()
    noteUpstreamScan()
    noteLimits()
  }

  // MARK: Time

  /// When `timeAdvanced` is next due; the past if there is more to do than a turn has room for.
  package var nextDueMilliseconds: UInt64? {
    var due = min(store.nextDueMilliseconds ?? .max, nextExpiryMilliseconds, memoryPlan.dueMilliseconds)
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) {
      due = min(due, dueMilliseconds(ofUpstream: slot))
    }
    return due == .max ? nil : due
  }

  /// Time passed: fires what is due, in order, as far as the turn has room for it. To be called before the events of
  /// that time.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    guard milliseconds > nowMilliseconds else { return fireMore() }
    nowMilliseconds = milliseconds
    store.timeAdvanced(to: milliseconds)
    fireDue()
    giveUpOverdueClients()
  }

  // MARK: Life cycle

  /// New bounds, times and routes for what comes from now on; what was admitted keeps what it was admitted with.
  package mutating func reconfigure(_ configuration: GatewayConfiguration) {
    precondition(
      configuration.upstreams.count == self.configuration.upstreams.count,
      "upstreams come and go with the process")
    store.limits = configuration.store
    router.load(configuration.routes)
    intents = TaskIntentReader(configuration)
    targets = TaskTargetReader(configuration)
    self.configuration = configuration
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) { upstreams[slot].keep(configuration) }
    noteAllotments()
    noteUpstreamScan()
    noteLimits()
  }

  /// What clients may nest upstreams may, and never less than is usual.
  private mutating func noteUpstreamScan() {
    upstreamScan.nestingLevels = max(WireLimits.nestingLevels, configuration.scan.nestingLevels)
  }

  /// From now on new work is refused; what was admitted goes on.
  package mutating func drain() { isDraining = true }

  /// Every task that is left ends now: its callers hear that the gateway shuts down.
  package mutating func shutDown() {
    isDraining = true
    isShutDown = true
    for slot in calls.indices {
      if let task = store.task(inSlot: slot) { fail(task, .shuttingDown) }
    }
  }

  /// Whether nothing is left to do: no live task, nothing to undo, no answer unsent, nothing that upstream has
  /// still to take.
  package var isQuiet: Bool {
    guard store.isSettled else { return false }
    for slot in 0..<sessions.endSlot where sessions.contains(slot) {
      if !sessions[slot].hasSaidAll { return false }
    }
    return hasHandedOutReplies
  }

  /// Whether nothing that was read is unanswered, and no answer waits for its client to read.
  package var hasHandedOutReplies: Bool {
    guard !holdsInput else { return false }
    for slot in 0..<clients.endSlot where clients.contains(slot) {
      if !clients[slot].output.isEmpty { return false }
    }
    return true
  }

  // MARK: What is there

  package var taskCount: Int { store.taskCount }
  package var clientCount: Int { clients.count }
  package var keyCount: Int { keys.count }
  package var liveRequestCount: Int { store.waiterCount }
  /// Whether requests to any upstream that clients share can be sent at once.
  package var isConnected: Bool { sharedUpstreams.allSatisfy { isConnected($0) } }
  /// By its place in the configuration, each upstream that clients share and that no request can be sent to.
  package var unconnectedUpstreams: [Int] { sharedUpstreams.filter { !isConnected($0) } }

  private func isConnected(_ slot: Int) -> Bool {
    upstreams[slot].options.isPerConnection
      || upstreams[slot].sessions.contains { sessions[$0].isConnected }
  }

  private var sharedUpstreams: Range<Int> { configuration.upstreams.indices }

  // MARK: Output

  /// Hands out what has collected: at most one write for each connection.
  package mutating func flush<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    fireMore()
    checkInvariants()
    memoryPlan.peakBytes = max(memoryPlan.peakBytes, heldByteCount)
    // What waited for an upstream and ended by being sent may have started or refused others.
    repeat {
      hasSettled = false
      flushClients(into: &sink)
      flushUpstreams(into: &sink)
    } while hasSettled || hasMadeRoom(with: &sink)
    giveBackMemory(with: &sink)
    payloads.giveBackForgottenPages(upTo: Self.pageBytesPerTurn)
    timersLeft = configuration.turnTimers
    workBytes = 0
  }

  @inline(__always)
  mutating func markDirty(_ client: Int) {
    guard !clients[client].isDirty else { return }
    clients[client].isDirty = true
    dirtyClients.append(client)
  }
}
