import HotData
import Identity
import JSONRPC

/// The machine of clients: their sessions, half-sent input, open requests and unsent output. It decides what each
/// message means and which client gets each reply. It knows no keys, tasks or upstreams.
struct Edge: ~Copyable {
  private let place = StaysInPlace()
  var configuration: GatewayConfiguration
  var nowMilliseconds: UInt64 = 0
  var counters = GatewayCounters()
  var logInFaults = LogInFaultCounts()
  var router: Router
  var intents: TaskIntentReader
  var targets: TaskTargetReader
  var progress: ProgressTokenReader

  /// Connections of the other loops have other numbers.
  let loop: LoopPlace
  var clients = Slab<ClientSession>()
  var connectionsSoFar = 0
  /// Clients that stand for those of other loops.
  var mirrorCount = 0
  /// Clients that are exchanges over one of the shell's connections; and how many such connections there are.
  var exchangeCount = 0
  var sessions = ExchangeSessions()
  let sessionHash: KeyedHash
  var connectionsOfShell = 0
  /// How many of these have not authenticated yet.
  var unknownOfShell = 0
  /// POSTs that end from outside while something of them is at work, and what they hear of why.
  var endingPosts: [(client: Int, error: RPCError)] = []
  /// Those of the process' other loops.
  var connectionsElsewhere = 0
  /// The known principals; and, by the client's slot, the credential of each. Empty where no listener asks for one.
  var directory: PrincipalDirectory
  var credentials = SlotArray(empty: HeldCredential(), count: 0)
  /// Clients that have not authenticated, and have to.
  var unknownCount = 0
  /// Connections of each principal, by its number.
  var connectionCounts = SlotArray(empty: 0, count: 0)
  /// The same of their requests that are not answered yet.
  var callerCounts = SlotArray(empty: 0, count: 0)
  /// By the client's slot: how many of them are waiters for parts of its answers, not requests of its own.
  var partCounts = SlotArray(empty: 0, count: 0)
  /// What the wall clock has before the other one; nil: nobody has said it. And when it is asked for again.
  var unixOffsetMilliseconds: Int64?
  var nextWallClockMilliseconds: UInt64 = 0
  var callers: CallerTable
  var batches = Slab<Batch>()
  /// Each client's batches, numbered from 1.
  var batchLinks = SlotLinks()
  var sharedAnswer = SharedAnswer()
  /// Clients to be flushed: the first so many of them.
  var dirtyClients: [Int] = []
  var dirtyEnd = 0
  /// A client that is to be flushed was given more pieces than it may leave unread.
  var hasGivenMuch = false
  /// Clients whose output waits for more; one may be named more than once.
  var heldBack: [Int] = []
  var timeouts = ClientTimeouts()

  /// Clients of whom something is held, the next in turn first; they are numbered from 0, the list's slots from 1.
  var turns = SlotList()
  /// Clients of which nothing has been handled since they had to wait: their turns come before the others'.
  var newTurns = SlotList()
  /// How many turns of these have followed each other.
  var newTurnsInARow = 0
  /// What is held of mirrors, in bytes.
  var mailByteCount = 0
  var turnLinks = SlotLinks()
  var audit = AuditTrail()
  /// There is something of the audit trail, or a refused notification, that is still to be told.
  var hasNews = false

  /// For what POSTs ask some upstreams have another in their place, which no reload changes.
  let hasPlacesForPosts: Bool

  /// From whom nothing more is to be read in this turn; -1: nobody.
  var heldUpClient = -1

  /// Refused notifications of which their clients are still to be told.
  var refusedNotifications: [RefusedNotification] = []
  /// The connections that were told of one. Few are: so it is not kept in each of them.
  var clientsToldOf: Set<Int> = []

  /// Of clients' output.
  let blocks = BlockPool()
  /// Bytes of half-received input, of answers that wait for the rest of their batch, and of output that the shell has
  /// not sent.
  var inputBytes = 0
  var batchBytes = 0
  var shellBytes = 0
  /// What carries clients, by their slots: empty where only sockets do. And all of that.
  var transportByteCounts = SlotArray(empty: 0, count: 0)
  var transportByteCount = 0
  /// Bytes of connections that are no clients yet.
  var arrivingByteCount = 0
  /// So many bytes may be held for clients.
  var clientLimitBytes = Int.max
  /// The same without transports, and, at a turn's end, without connections that are no clients yet.
  var roomBytes = Int.max
  var turnRoomBytes = Int.max

  init(_ configuration: GatewayConfiguration, seed: UInt64, callerSeed: UInt64, at loop: LoopPlace) {
    self.configuration = configuration
    hasPlacesForPosts = configuration.upstreams.contains { $0.placeForPosts != nil }
    self.loop = loop
    router = Router(configuration.routes, seed: seed)
    intents = TaskIntentReader(configuration, at: loop)
    targets = TaskTargetReader(configuration)
    progress = ProgressTokenReader(seed: seed)
    directory = PrincipalDirectory(configuration.principals, issuers: configuration.issuers)
    callers = CallerTable(seed: callerSeed)
    sessionHash = KeyedHash(seed: callerSeed)
    noteLimits()
  }

  /// Keeps to a configuration from now on.
  mutating func keep(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
    router.load(configuration.routes)
    let hasFollowers = intents.hasFollowers
    intents = TaskIntentReader(configuration, at: loop)
    if hasFollowers { intents.noteFollowers() }
    targets = TaskTargetReader(configuration)
    for slot in 0..<clients.endSlot where clients.contains(slot) {
      clients[slot].framer.keep(
        limitBytes: messageLimitBytes(of: clients[slot].principal, clients[slot].listener.kind))
    }
    keepPrincipals()
    noteLimits()
  }

  private mutating func noteLimits() {
    let part = configuration.memoryBytes / GatewayConfiguration.requestPart
    clientLimitBytes = part > 0 ? part * (GatewayConfiguration.requestPart - 1) : .max
    noteTransports()
  }
}
