import HotData
import JSONRPC
import TaskStore

/// The machine of keys: the task store, what tasks ask, and whom they count for. It is the owner of a key: what is
/// decided about one is decided here, and nowhere else.
struct Lanes: ~Copyable {
  private let place = StaysInPlace()
  var configuration: GatewayConfiguration
  var nowMilliseconds: UInt64 = 0
  var counters = GatewayCounters()
  var store: TaskStore
  var keys: KeyTable
  /// Of tasks from which callers may go to others, or come.
  var kinds: AnswerKinds
  var payloads = PayloadTable(divider: MessageWriter.beforeParams)
  /// The `traceparent` of tasks that came with one, for upstreams that are told.
  var traces = PayloadTable()
  /// What there is to know of each task beside the store, by the task's slot.
  var requests = SlotArray(empty: Request())
  var effects = TaskEffects()

  var accounts = AccountTable()
  /// By number.
  var principals = SlotArray(empty: PrincipalUsage(), count: 0)
  /// How many principals have ever had a connection.
  var principalCount = 0
  /// What those have done whose numbers others have, or will get.
  var forgottenTally = PrincipalTally()
  /// The request bytes of connected clients, in size classes.
  var requestSizes = SizeClasses()
  /// Notifications that were not sent, by account.
  var accountLinks = SlotLinks()
  /// Tasks that may drain for longer, by account, and for how long once their client is gone.
  var longDrainLinks = SlotLinks()
  var usualDrains = SlotArray(empty: UInt32(0))
  /// Of tasks that upstream may report progress of.
  var progressTimes = SlotArray(empty: ProgressTimes())
  /// The same of pieces, of those that take them.
  var pieceTimes = SlotArray(empty: ProgressTimes())
  /// Of tasks whose callers take pieces of the answer, how many they were given.
  var pieceCounts = SlotArray(empty: UInt32(0))
  var orders = OrderTable()
  /// Of a fleet, at the loop that has its member's.
  var partitions: Partitions

  /// Tasks that ended while effects were performed: the store hears of them right afterwards.
  var settled: [TaskID] = []
  /// The same of tasks that cannot be sent any more.
  var doomed: [TaskID] = []
  var journal = TaskJournal()
  /// The bytes of a key on their way into an answer.
  var keyScratch: [UInt8] = []
  /// So much may open requests ask.
  var requestLimitBytes = Int.max
  /// A small client's request was taken though there was no room for it: before the turn ends others make some.
  var hasLentRequestRoom = false

  init(_ configuration: GatewayConfiguration, seed: UInt64, at loop: LoopPlace) {
    self.configuration = configuration
    store = TaskStore(limits: configuration.store, number: loop.number, of: loop.count)
    keys = KeyTable(seed: seed)
    kinds = AnswerKinds(seed: seed)
    partitions = Partitions(at: loop)
    noteLimits()
  }

  /// Keeps to a configuration from now on; what was admitted keeps what it was admitted with.
  mutating func keep(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
    store.limits = configuration.store
    noteLimits()
  }

  private mutating func noteLimits() {
    let part = configuration.memoryBytes / GatewayConfiguration.requestPart
    requestLimitBytes = part > 0 ? min(part, configuration.payloadBytes) : configuration.payloadBytes
  }

  mutating func timeAdvanced(to milliseconds: UInt64) {
    nowMilliseconds = milliseconds
    store.timeAdvanced(to: milliseconds)
  }
}
