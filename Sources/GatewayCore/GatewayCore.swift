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
  /// By where it stands with its upstream, and, of those that wait, by when they started.
  var callLinks = SlotLinks()
  var arrivalLinks = SlotLinks()
  var callers: CallerTable
  var batches = Slab<Batch>()

  var effects = TaskEffects()
  /// Tasks that ended while effects were performed: the store hears of them right afterwards.
  var settled: [TaskID] = []
  /// The same of tasks that cannot be sent any more.
  var doomed: [TaskID] = []
  /// There were any of both since the flush began.
  var hasSettled = false
  var dirtyClients: [Int] = []
  /// The upstream connection that got much output in this turn; -1: none.
  var earlySession = -1
  var waiting = ClientPatience()
  var memoryPlan = MemoryPlan()
  var intents: TaskIntentReader
  var targets: TaskTargetReader
  /// The bytes of a key on their way into an answer.
  var keyScratch: [UInt8] = []
  var random: SplitMix64
  let blocks = BlockPool()
  /// The bounds of what upstreams say, apart from that of a message's length.
  let upstreamScan = ScanLimits()
  var connectionsSoFar: UInt64 = 0
  var privateSoFar = 0
  /// Those of them that are not closed: one that is may outlive its client until its last task has ended.
  var openPrivateCount = 0
  package internal(set) var counters = GatewayCounters()
  package internal(set) var times = GatewayTimes()
  var journal = TaskJournal()
  package internal(set) var nowMilliseconds: UInt64 = 0
  package internal(set) var isDraining = false

  /// - Parameter seed: the source of everything random in here: the key table's hash and the back-off's jitter.
  package init(_ configuration: GatewayConfiguration, seed: UInt64, nowMilliseconds: UInt64) {
    self.configuration = configuration
    self.nowMilliseconds = nowMilliseconds
    intents = TaskIntentReader(configuration)
    targets = TaskTargetReader(configuration)
    router = Router(configuration.routes, seed: seed)
    store = TaskStore(limits: configuration.store)
    random = SplitMix64(seed: seed)
    keys = KeyTable(seed: random.next())
    callers = CallerTable(seed: random.next())
    store.timeAdvanced(to: nowMilliseconds)
    makeSharedUpstreams()
  }

  // MARK: Time

  /// When `timeAdvanced` is next due.
  package var nextDueMilliseconds: UInt64? {
    var due = min(store.nextDueMilliseconds ?? .max, nextExpiryMilliseconds, memoryPlan.dueMilliseconds)
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) {
      due = min(due, dueMilliseconds(ofUpstream: slot))
    }
    return due == .max ? nil : due
  }

  /// Time passed: fires what is due, in order. To be called before the events of that time.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    guard milliseconds > nowMilliseconds else { return }
    nowMilliseconds = milliseconds
    store.timeAdvanced(to: milliseconds)
    while store.fireTimer(effects: &effects) { performEffects() }
    for slot in 0..<upstreams.endSlot where upstreams.contains(slot) { timeAdvanced(atUpstream: slot) }
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
  }

  /// From now on new work is refused; what was admitted goes on.
  package mutating func drain() { isDraining = true }

  /// Every task that is left ends now: its callers hear that the gateway shuts down.
  package mutating func shutDown() {
    isDraining = true
    // Those that are held go first, else the end of a running one would start them.
    failAll { $0 == .held }
    failAll { _ in true }
  }

  private mutating func failAll(where matches: (Call.Progress) -> Bool) {
    for slot in calls.indices where matches(calls[slot].progress) {
      guard let task = store.task(inSlot: slot) else { continue }
      store.failed(task, .shuttingDown, effects: &effects)
      performEffects()
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

  /// Whether no answer waits for its client to read.
  package var hasHandedOutReplies: Bool {
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
    checkInvariants()
    // What waited for an upstream and ended by being sent may have started or refused others.
    repeat {
      hasSettled = false
      flushClients(into: &sink)
      flushUpstreams(into: &sink)
    } while hasSettled
    giveBackMemory(with: &sink)
  }

  @inline(__always)
  mutating func markDirty(_ client: Int) {
    guard !clients[client].isDirty else { return }
    clients[client].isDirty = true
    dirtyClients.append(client)
  }
}
