import GatewayCore
import HotData
import Identity
import JSONRPC
import TaskStore

/// What one seed's history is made of: some kinds of actions never happen, others often; some bounds are tight.
package struct Knobs {
  /// Each kind as often as it is likely.
  private(set) var kinds: [Action.Kind] = []
  private(set) var policies: [DuplicatePolicy?]
  private(set) var keys: [Int8]
  private(set) var joins: [JoinRule?]
  private(set) var debounces: [UInt32?]
  private(set) var maxWaits: [UInt32?]
  private(set) var timeouts: [UInt32?]
  private(set) var drains: [UInt32?]
  /// One request in so many asks the very same as the newest of its key, is of its connection alone, has a taken id.
  private(set) var oneInSame: Int
  private(set) var oneInScoped: Int
  private(set) var oneInTwin: Int
  private(set) var idForms: [UInt8]
  private(set) var rooms: [Int]
  private(set) var upstreamRooms: [Int]
  private(set) var traces: [Int?]
  private(set) var pieces: [Int]
  private(set) var pauses: [Int]
  /// After so many of what is sent, in a hundred, its bytes arrive at once.
  private(set) var promptness: Int
  private(set) var oneInHoldsTurn: Int
  private(set) var oneInFlushesEarly: Int
  private(set) var mostClients: Int
  /// The gateway begins with the first; the operator may load the others.
  private(set) var configurations: [GatewayConfiguration] = []
  private(set) var forms: [UInt8]
  private(set) var groups: [Int?]
  private(set) var framings: [Framing]
  private(set) var oneInWrapped: Int
  /// By how many others requests that say their order were overtaken; nil: one says none. Empty: none does.
  private(set) var delays: [Int?] = []
  private(set) var maxStales: [UInt32?]
  private(set) var supersededRules: [SupersededRule?]
  /// Of a hundred steps, after how many the gateway drains; its drain deadline passes so many steps later.
  private(set) var drainsAt: Int
  private(set) var shutsDownAfter: Int
  private(set) var watch: Watch
  /// One client in so many comes under TLS.
  private(set) var oneInSecure = Int.max
  /// Clients that were just revoked authenticate before they hear of that.
  private(set) var insists = false
  /// Most requests take their answers in pieces.
  private(set) var streams = false
  private(set) var pieceIdles: [UInt32?] = [nil]

  init(using random: inout SplitMix64) {
    policies = (DuplicatePolicy.allCases + [nil]).filter { _ in !random.oneIn(3) }
    if policies.isEmpty { policies = [.cancel] }
    keys = (0...random.below(3)).map { _ in Int8(random.below(Spelling.keys.count)) }
    if random.oneIn(3) { keys.append(-1) }
    var same = random
    var apart = SplitMix64(seed: same.next())
    // For what happens too rarely by itself.
    var rare = SplitMix64(seed: same.next())
    supersededRules = apart.pick([[nil], [nil], [nil, .follow], [.follow], [.follow, .error, nil]])
    joins = random.pick([[nil], [nil, .identical], [.identical], [.always, .never, nil]])
    debounces = random.pick([[nil], [nil], [nil, 20], [10, 300], [0, nil]])
    maxWaits = random.pick([[nil], [400], [nil, 301]])
    timeouts = random.pick([[nil], [1_000, nil], [0, 1, 2, 50], [5_000], [200, 30_000]])
    drains = random.pick([[nil], [0], [1, 50, 5_000], [nil, 10], [10_000]])
    oneInSame = random.pick([2, 5, .max])
    oneInScoped = random.pick([2, 8, .max])
    oneInTwin = random.pick([10, 50, .max])
    idForms = random.pick([[0], [0, 2], Array(0..<UInt8(Spelling.ids.count))])
    rooms = random.pick([[Action.everything], [Action.everything], [Action.everything, 0], [0, 40, 2_000]])
    upstreamRooms = random.pick([[Action.everything], [Action.everything], [0, 40, 2_000]])
    traces = random.pick([[nil], [nil, 0, 1]])
    pieces = random.pick([
      [Action.everything], [Action.everything, 30], [1, 2, Action.everything], [1, 5, 100, 300],
    ])
    pauses = random.pick([[0, 1, 10], [1, 50, 999, 5_000], [100, 61_000], [5, 20, 70]])
    promptness = random.pick([0, 50, 90, 100])
    oneInHoldsTurn = random.pick([2, 4, 4, .max])
    oneInFlushesEarly = random.pick([1, 3, .max])
    mostClients = random.pick([1, 3, 8])
    let allForms = Spelling.otherForms
    forms = random.pick([
      allForms, allForms, Spelling.undoableForms, Spelling.pointedForms,
      Spelling.pointedForms + Spelling.undoableForms, Spelling.longForms, Spelling.tokenForms,
    ])
    groups = random.pick([[nil], [nil, 0, 1, 2]])
    framings = random.pick([[.lines], [.lines, .contentLength], [.contentLength]])
    oneInWrapped = random.pick([.max, 5])
    maxStales = random.pick([[nil], [nil], [nil, 100], [20, 1_000]])
    drainsAt = random.pick([80, 90, .max, .max, .max])
    shutsDownAfter = random.pick([5, 60, .max])
    // From a copy, so that watching and typing fast change nothing else in the history.
    var aside = random
    watch = Watch(using: &aside)
    kinds = Self.kinds(using: &random)
    if aside.oneIn(6) { typeFast(using: &aside) }
    configurations = Self.configurations(using: &random)
    if aside.oneIn(6) {
      getOn(using: &aside)
      if rare.oneIn(2) { beLate() }
    }
    if aside.oneIn(4) {
      askWho(using: &aside)
      insists = rare.oneIn(2)
      if rare.oneIn(3) { wouldJoin() }
      if rare.oneIn(4) { contend(using: &rare) }
    }
    if aside.oneIn(4) { kinds.append(.evict) }
    if aside.oneIn(Self.oneInUnderTLS), SimulatedPapers.areThere { goUnderTLS(using: &aside) }
    if aside.oneIn(5) { overtake(using: &aside) }
    if apart.oneIn(5) { follow(using: &apart) }
    if apart.oneIn(8) { share(using: &apart) }
    if apart.oneIn(6) { stream(using: &apart) }
  }

  /// Answers in pieces, of requests that do not meet but by their keys: here it shows which pieces come too late.
  private mutating func stream(using random: inout SplitMix64) {
    streams = true
    forms = Spelling.otherForms.filter { !Spelling.tokenForms.contains($0) }
    (joins, maxStales, supersededRules) = ([nil], random.pick([[nil], [nil], [20, 1_000], [20]]), [nil])
    pieceIdles = random.pick([[nil], [nil, 50, 400], [200, 5_000]])
    if pieceIdles.count > 1 { timeouts = random.pick([timeouts, [200], [1_000, 50]]) }
    (oneInSame, oneInTwin, idForms) = (.max, .max, random.pick([[0], [0, 1, 2, 6]]))
    policies = random.pick([
      [.cancel], [.cancelAndWait], [.cancel, .concurrent], [.onAnswer], [.onAnswer, .cancel],
      [.cancel, .cancelAndWait, .wait, .keepLatest, .concurrent],
    ])
    kinds += Array(repeating: .result, count: 8) + Array(repeating: .deliverAnswers, count: 8)
    if maxStales.contains(where: { $0 != nil }) {
      // A key is asked again and again while pieces come: here it shows what makes it fresh.
      (keys, policies, timeouts, drains) = ([keys[0]], [.cancel], [nil], [200])
      (debounces, pauses, promptness) = ([nil], [5, 20], 100)
      pieces = [Action.everything]
      kinds += Array(repeating: .request, count: 8) + Array(repeating: .pass, count: 16)
    }
    for index in configurations.indices {
      for route in configurations[index].routes.indices {
        configurations[index].routes[route].meetOnlyByKey()
      }
    }
    if random.oneIn(3) { followInPieces(using: &random) }
    let most = random.pick([0, 0, 1, 2])
    for index in configurations.indices { configurations[index].piecesPerTask = most }
  }

  /// A superseded caller follows, if the newer request takes pieces as its own does, and no piece has come.
  private mutating func followInPieces(using random: inout SplitMix64) {
    supersededRules = random.pick([[.follow], [.follow, nil], [.follow, .follow, .error]])
    policies = random.pick([[.cancel], [.cancelAndWait], [.keepLatest], [.onAnswer], [.cancel, .onAnswer]])
    (keys, oneInScoped) = ([keys[0]], random.pick([1, 2]))
    forms = Spelling.stateForms
    kinds += Array(repeating: .request, count: 8)
  }

  /// Upstreams that clients share, which report progress before their answers.
  private mutating func share(using random: inout SplitMix64) {
    forms = random.pick([Spelling.tokenForms, Spelling.tokenForms + [0]])
    kinds += Array(repeating: .result, count: 8) + Array(repeating: .deliverAnswers, count: 8)
    oneInSame = random.pick([2, 5, .max])
    for index in configurations.indices {
      if random.oneIn(2) { configurations[index].timeoutMilliseconds = random.pick([100, 1_000]) }
      for place in configurations[index].upstreams.indices {
        configurations[index].upstreams[place].passesProgress = true
      }
    }
  }

  /// Requests of one method and few keys that follow each other.
  private mutating func follow(using random: inout SplitMix64) {
    forms = Spelling.stateForms + random.pick([[], [], [0], Spelling.undoableForms])
    supersededRules = random.pick([[.follow], [.follow, nil], [.follow, .follow, .error]])
    policies = random.pick([
      [.cancel], [.cancelAndWait], [.keepLatest], [.onAnswer], [.cancel, .onAnswer], policies, policies,
    ])
    keys = [keys[0]]
    oneInScoped = random.pick([1, 2])
    timeouts = random.pick([timeouts, [nil], [nil, 200]])
  }

  /// Handshakes cost much: few seeds have them.
  private static let oneInUnderTLS: Int = 20

  /// Requests that come in another order than they were sent.
  private mutating func overtake(using random: inout SplitMix64) {
    delays = random.pick([[0, 0, 0, 1, 5, 30], [0, 2, 10, nil], [0, 30, 30]])
    var milliseconds: [UInt64] = random.pick([[0], [1, 50], [50, 1_000], [10_000]])
    var orders = random.pick([1, 4, 100_000, 100_000])
    if random.oneIn(2) {
      // Few keys, and many requests that join others' tasks.
      (keys, oneInSame, joins) = ([keys[0]], 2, [.identical])
      (milliseconds, orders) = ([10_000], 100_000)
    }
    for index in configurations.indices {
      configurations[index].orderMilliseconds = milliseconds[index % milliseconds.count]
      configurations[index].orders = orders
    }
  }

  private mutating func goUnderTLS(using random: inout SplitMix64) {
    oneInSecure = random.pick([2, 3, 5])
    rooms = random.pick([rooms, [0, 40, 2_000]])
    kinds += [.cutOff, .alter, .changeKeys, .changeKeys]
    // Handshakes give way.
    if random.oneIn(3) {
      for index in configurations.indices { configurations[index].memoryBytes = 50_000 }
    }
    // Much comes at once, and the end with it, where the gateway has time for little, and its clients little room.
    guard random.oneIn(2) else { return }
    promptness = 0
    pieces = [Action.everything]
    rooms = [Action.everything, 40]
    kinds += Array(repeating: .finish, count: 8) + Array(repeating: .request, count: 8)
    for index in configurations.indices {
      configurations[index].turnMessages = 1
      for listener in configurations[index].listeners.indices {
        configurations[index].listeners[listener].cancelsAtEnd = false
      }
    }
  }

  /// Listeners that serve known clients only.
  private mutating func askWho(using random: inout SplitMix64) {
    kinds += Array(repeating: .authenticate, count: random.pick([2, 6]))
    if random.oneIn(2) {
      groups = [0, 0, nil]
      kinds += Array(repeating: .cancelByGroup, count: 8)
      mostClients = 8
    }
    if random.oneIn(2) {
      kinds += Array(repeating: .reconfigure, count: 8)
      if configurations.count == 1 { configurations.append(configurations[0]) }
    }
    let asks = random.pick([[true, true], [true, false], [false, true]])
    for index in configurations.indices {
      for listener in configurations[index].listeners.indices {
        configurations[index].listeners[listener].asksWho = asks[listener]
      }
      configurations[index].principals = Population.all
      if index == 0 || random.oneIn(2) { configurations[index].issuers = [Population.issuer] }
      if index > 0 { configurations[index].principals.remove(at: random.below(Population.principals)) }
      configurations[index].authenticateMilliseconds = random.pick([0, 400, 5_000])
      configurations[index].authenticateAttempts = random.pick([1, 2, 3])
      configurations[index].unauthenticatedConnections = random.pick([1, 2, 1_000])
    }
    for index in configurations.indices { limit(&configurations[index].principals, using: &random) }
  }

  /// Requests that would join others if it were up to their routes.
  private mutating func wouldJoin() {
    (keys, joins, oneInSame) = ([keys[0]], [nil], 2)
    for index in configurations.indices {
      for route in configurations[index].routes.indices {
        configurations[index].routes[route].join = .identical
      }
    }
  }

  /// Principals that share two keys, and may have little: what one supersedes is another's.
  private mutating func contend(using random: inout SplitMix64) {
    (keys, policies, joins, oneInScoped) = ([0, 1], [.cancel], [nil], .max)
    (debounces, maxStales, mostClients) = ([nil], [nil], 8)
    var quotas = Quotas()
    quotas.callers = 1_000
    if random.oneIn(2) {
      quotas.tasks = random.pick([1, 2])
    } else {
      quotas.payloadBytes = random.pick([60, 100])
    }
    for index in configurations.indices {
      for listener in configurations[index].listeners.indices {
        configurations[index].listeners[listener].asksWho = true
        configurations[index].listeners[listener].scope = .shared
      }
      for principal in configurations[index].principals.indices {
        configurations[index].principals[principal].quotas = quotas
      }
    }
  }

  /// What each of them may take, alike for all.
  private func limit(_ principals: inout [PrincipalOptions], using random: inout SplitMix64) {
    var quotas = Quotas()
    quotas.connections = random.pick([1, 2, 1_000])
    quotas.tasks = random.pick([1, 3, 1_000, 1_000])
    quotas.payloadBytes = random.pick([100, 1 << 20, 1 << 20])
    quotas.requestsPerSecond = random.pick([0, 0, 1, 3])
    quotas.supersessionsPerSecond = random.pick([0, 0, 1, 3])
    quotas.cancelsPerSecond = random.pick([0, 0, 1, 2])
    // From a copy: it changes nothing else of what is made up.
    var aside = random
    quotas.callers = aside.pick([0, 1, 3, 1_000, 1_000, 1_000])
    for index in principals.indices { principals[index].quotas = quotas }
  }

  /// Few keys, and many requests for each while upstream works: here it shows what comes too late.
  private mutating func typeFast(using random: inout SplitMix64) {
    policies = random.pick([
      [.cancel], [.cancelAndWait], [.keepLatest], [.cancel, .cancelAndWait, .keepLatest],
    ])
    keys = [0]
    joins = [nil]
    debounces = random.pick([[nil], [60], [nil, 60]])
    maxWaits = [61, 90]
    maxStales = [20, 50]
    timeouts = [nil]
    drains = random.pick([[nil], [50], [200]])
    oneInTwin = .max
    (pauses, promptness) = ([5, 20], 100)
    pieces = [Action.everything]
    kinds += Array(repeating: .request, count: 12) + Array(repeating: .pass, count: 24)
  }

  /// Upstreams of connections' own that say often how far they are, and short deadlines, many due at once: here it shows
  /// what progress puts off.
  private mutating func getOn(using random: inout SplitMix64) {
    forms = Spelling.tokenForms
    timeouts = random.pick([[nil], [nil], [nil, 200]])
    pauses = random.pick([[1, 20, 60], [50, 99, 100], [0, 250]])
    promptness = 100
    kinds.removeAll { $0 == .passToNextTimer || $0 == .cut }
    kinds += Array(repeating: .progress, count: 24) + Array(repeating: .deliverAnswers, count: 16)
    for index in configurations.indices {
      configurations[index].timeoutMilliseconds = random.pick([100, 200, 1_000])
      configurations[index].longest.timeoutMilliseconds = random.pick([150, 1_000])
      configurations[index].turnTimers = random.pick([1, 1, 256])
      for place in configurations[index].upstreams.indices {
        makeOwn(&configurations[index].upstreams[place])
      }
    }
  }

  /// Many deadlines pass at once, where a turn has time for one of them.
  private mutating func beLate() {
    (keys, timeouts, pauses) = ([-1], [nil], [0, 100])
    kinds.removeAll { $0 == .result || $0 == .goOn }
    kinds += Array(repeating: .request, count: 16)
    mostClients = 1
    for index in configurations.indices {
      configurations[index].turnTimers = 1
      configurations[index].unansweredPerConnection = 1_000
      configurations[index].tasksPerConnection = 1_000
      configurations[index].inFlightPerEndpoint = 1_000
      configurations[index].store.tasks = 1_000
      configurations[index].store.waiters = 1_000
    }
  }

  private func makeOwn(_ upstream: inout UpstreamOptions) {
    guard upstream.shape == .connection else { return }
    upstream.isPerConnection = true
    upstream.endpoints = 1
    upstream.outputHardBytes = World.tightBytes * 16
  }

  // MARK: Kinds

  private static let always: [Action.Kind] = [
    .connect, .request, .request, .request, .deliver, .deliver, .accept, .accept, .result, .result, .result,
    .deliverAnswers, .read, .readUpstream, .pass, .question, .reply, .goOn, .goOn,
  ]

  private static let rare: [Action.Kind] = [
    .finish, .reset, .resetLate, .refuse, .cut, .noise, .malformed, .both, .tooLong, .tooDeep, .fractionalID,
    .stringID,
    .nullID, .nonsense,
    .failSent, .failUnsent, .failUntried, .notification, .take, .tell, .takeQuestionBack, .progress,
    .cancelledNotification, .cancelByID,
    .cancelByKey, .cancelByGroup, .inspect, .reconfigure, .batch,
    .deliverLate,
  ]

  private static let usual: [Action.Kind] = [.cancelRequest, .error, .notification, .take]

  private static func kinds(using random: inout SplitMix64) -> [Action.Kind] {
    var kinds = always + always
    for kind in rare where !random.oneIn(3) { kinds.append(kind) }
    for kind in usual where !random.oneIn(3) { kinds += Array(repeating: kind, count: 1 + random.below(4)) }
    if !random.oneIn(3) { kinds.append(.passToNextTimer) }
    for kind in [
      Action.Kind.request, .result, .deliver, .passToNextTimer, .reset, .cut, .both, .failUnsent, .progress,
    ]
    where random.oneIn(6) {
      kinds += Array(repeating: kind, count: 8)
    }
    return kinds
  }

  // MARK: Bounds

  /// What never changes while a gateway runs is the same in all of them.
  private static func configurations(using random: inout SplitMix64) -> [GatewayConfiguration] {
    let upstreams = (0...random.below(3)).map { _ in Self.upstream(using: &random) }
    let count = random.oneIn(4) ? 3 : 1
    var aside = random
    let checkedPartBytes = aside.pick([1, 30, 1_000])
    return (0..<count).map { _ in
      let own = upstreams.map { shared($0, using: &random) }
      var configuration = configuration(own, using: &random)
      configuration.checkedPartBytes = checkedPartBytes
      return configuration
    }
  }

  private static func listener(using random: inout SplitMix64) -> ListenerOptions {
    var options = ListenerOptions()
    options.scope = random.oneIn(3) ? .connection : .shared
    options.cancelsAtEnd = random.oneIn(3)
    options.hidesSupersession = random.oneIn(3)
    var aside = random
    options.waitsForUpstreams = aside.oneIn(2)
    return options
  }

  /// Some are shorter than what requests say.
  private static func longestTimes(using random: inout SplitMix64) -> LongestTimes {
    var longest = LongestTimes()
    longest.timeoutMilliseconds = random.pick([999, 1_000, 60_000])
    longest.drainMilliseconds = random.pick([9, 50, 5_000, 10_000])
    longest.debounceMilliseconds = random.pick([19, 20, 300])
    longest.maxWaitMilliseconds = random.pick([300, 301, 400])
    longest.maxStaleMilliseconds = random.pick([99, 100, 1_000])
    return longest
  }

  private static func configuration(
    _ upstreams: [UpstreamOptions], using random: inout SplitMix64
  ) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    // A client that does not read is judged by its output bounds alone.
    configuration.unreadPieceBytes = .max
    configuration.messageLimitBytes = 4_096
    configuration.batchItems = random.pick([2, 1_000])
    configuration.batchReplyBytes = random.pick([300, 1 << 24])
    configuration.connections = random.pick([3, 100])
    configuration.turnMessages = random.pick([1, 2, 5, 64, 64])
    configuration.turnAnswers = random.pick([1, 2, 5, 2_048, 2_048])
    configuration.turnTimers = random.pick([1, 2, 256, 256, 256])
    configuration.turnOutputBytes = random.pick([100, 1 << 16])
    configuration.firstByteMilliseconds = random.pick([60_000, 500])
    configuration.messageMilliseconds = random.pick([10_000, 300])
    configuration.idleMilliseconds = random.pick([0, 0, 3_000])
    configuration.stallMilliseconds = random.pick([60_000, 1_000])
    configuration.unansweredPerConnection = random.pick([1, 3, 20, 1_000, 1_000])
    configuration.tasksPerConnection = random.pick([1, 3, 20, 1_000, 1_000])
    configuration.clientOutputSoftBytes = random.pick([100, 2_000, 1 << 20])
    configuration.clientOutputHardBytes = configuration.clientOutputSoftBytes * random.pick([2, 64])
    configuration.upstreamOutputSoftBytes = random.pick([100, 2_000, 1 << 20])
    configuration.upstreamOutputHardBytes = configuration.upstreamOutputSoftBytes * random.pick([2, 64])
    configuration.unflushedClients = random.pick([1, 2, 256])
    configuration.earlyOutputBytes = random.pick([1, 300, 1 << 15])
    configuration.keptSlots = random.pick([0, 0, 30, 2_048])
    configuration.memoryMilliseconds = random.pick([1, 10, 100])
    configuration.memoryBytes = random.pick([0, 0, 1 << 30, 50_000])
    configuration.keptBytes = random.pick([1_000, 1 << 20])
    configuration.sharedAnswerBytes = random.pick([1, 1, 1 << 14])
    configuration.payloadBytes = random.pick([40, 330, 2_000, 1 << 20, 1 << 20, 1 << 20])
    configuration.timeoutMilliseconds = random.pick([60_000, 2_000])
    configuration.drainMilliseconds = random.pick([5_000, 100, 0])
    if random.oneIn(4) { configuration.longest = longestTimes(using: &random) }
    configuration.connectMilliseconds = random.pick([4_000, 1_000, 50])
    configuration.attemptMilliseconds = random.pick([0, 5_000, 200])
    configuration.answerMilliseconds = random.pick([0, 0, 0, 700])
    configuration.inFlightPerEndpoint = random.pick([1, 5, 1_000, 1_000])
    configuration.waitingPerUpstream = random.pick([1, 3, 1_000_000, 1_000_000])
    configuration.privateUpstreams = random.pick([2, 1_000])
    configuration.upstreamRequests = random.pick([1, 3, 1_000])
    configuration.failuresInARow = random.pick([1, 2, 5])
    configuration.lastBackOffMilliseconds = random.pick([2_000, 100])
    configuration.listeners = (0..<World.listeners).map { _ in listener(using: &random) }
    configuration.upstreams = upstreams
    configuration.routes = routes(upstreams: upstreams.count, using: &random)
    configuration.store.compensationMilliseconds = random.pick([60_000, 300])
    configuration.store.tasks = random.pick([1, 3, 30, 30, 1_000, 100_000])
    configuration.store.waiters = random.pick([1, 4, 30, 1_000, 200_000])
    configuration.store.callersPerTask = random.pick([1, 2, 1_024, 1_024])
    configuration.store.queuePerLane = random.pick([1, 3, 64, 64])
    configuration.store.orphansPerLane = random.pick([1, 2, 4])
    configuration.store.orphanMilliseconds = random.pick([1, 1_000, 60_000])
    var aside = random
    configuration.store.tasksPerLane = aside.pick([2, 5, 4_096, 4_096])
    return configuration
  }
}
