import GatewayCore
import Identity
import JSONRPC
import TaskStore

/// A history of the gateway that an input's bytes choose step by step: every request gets exactly one reply.
///
/// Some clients send whatever the input holds: of these, all that must hold is that they harm nobody.
struct CoreHistory: ~Copyable {
  struct Asked {
    var client: Int
    /// The requests that came in one array with it, if it came in one.
    var batch: ClosedRange<Int>?
    var isAnswered = false
  }

  struct Client {
    var id: ClientID
    var framing: Framing
    let heard = HeardMessages()
    /// It has sent bytes that were made up, so nobody can say what it must hear.
    var isWild = false
    var hasEnded = false
    /// It was told that it is not known any more: what it asked is taken back as if it had gone.
    var isRevoked = false
  }

  static let batchItems = 4
  /// Bytes from here on choose to watch, or to look at what was told; but for one, by which the operator is at work.
  private static let watchingChoices = 240
  private static let reloadingChoice = 254
  static let upstream = UpstreamID(slot: 0)

  var choices: Choices
  var core: GatewayCore
  var sink = CoreSink()
  /// Those that are connected, by their number in this history, which unlike the core's is never used again.
  var clients: [Int: Client] = [:]
  var clientsSoFar = 0
  /// What each request has heard, by its id.
  var requests: [Int: Asked] = [:]
  /// Ids that upstream has heard and not answered.
  var atUpstream: [Int] = []
  /// What upstream was sent of a line that has not ended.
  var upstreamLines = LinesOnly(LineFramer(limitBytes: .max))
  var isConnected = false
  /// Whether peers read no more than there is room for, and may be given up for that.
  var isHoldingBack = false
  var watcher = Watcher()

  /// As it is at the beginning.
  private let configuration: GatewayConfiguration

  /// Of the first principal and of the second; the one between is nobody.
  static let users: [UInt32] = [1, 3]
  static let tokens = ["t", "u"]

  static func check(_ input: [UInt8]) throws(Violation) {
    var history = CoreHistory(input)
    try history.listen()
    while !history.choices.isEmpty {
      try history.step()
      try history.listen()
      try require(!history.core.leavesPartsUnchecked, "what came of a long message is not checked")
      let misaccounted = history.core.misaccountedPrincipals
      try require(
        misaccounted.isEmpty, "principals \(misaccounted) have other tasks or callers than their connections")
    }
    try history.finish()
  }

  private init(_ input: [UInt8]) {
    choices = Choices(input)
    let kind = choices.byte()
    let dialects = CancelDialect.allCases
    var configuration = GatewayConfiguration()
    configuration.store.queuePerLane = 2
    configuration.messageLimitBytes = 1000
    configuration.checkedPartBytes = 30
    configuration.batchItems = Self.batchItems
    configuration.batchReplyBytes = 400
    configuration.connections = 4
    configuration.keptSlots = 4
    configuration.memoryMilliseconds = 1
    configuration.unansweredPerConnection = 6
    configuration.piecesPerTask = 3
    configuration.unreadPieceBytes = 100
    configuration.routes = [Route(method: "join", compensation: "leave"), Route(method: "m")]
    configuration.routes[1].maxRunning = 2
    configuration.routes[1].superseded = .follow
    configuration.upstreams = [UpstreamOptions(cancel: dialects[Int(kind) % dialects.count])]
    configuration.upstreams[0].passesProgress = true
    // Who comes to the second listener must be known; who is not has all the time and attempts there are.
    configuration.listeners = [ListenerOptions(), ListenerOptions()]
    configuration.listeners[1].asksWho = true
    configuration.principals = Self.principals(kind / UInt8(dialects.count))
    configuration.authenticateMilliseconds = 0
    configuration.authenticateAttempts = .max
    self.configuration = configuration
    core = GatewayCore(configuration, seed: 1, nowMilliseconds: 1_000)
  }

  /// The first may do less than the second; both have the quotas that the bits say, and one more whether they share keys.
  private static func principals(_ bits: UInt8) -> [PrincipalOptions] {
    var quotas = Quotas()
    if bits & 1 != 0 { quotas.tasks = 3 }
    if bits & 2 != 0 { quotas.payloadBytes = 20 }
    if bits & 4 != 0 { quotas.requestsPerSecond = 2 }
    if bits & 8 != 0 { quotas.supersessionsPerSecond = 2 }
    if bits & 16 != 0 { quotas.cancelsPerSecond = 2 }
    if bits & 17 == 16 { quotas.callers = 2 }
    var principals = ["p", "q"].map { PrincipalOptions(name: $0) }
    for index in principals.indices {
      principals[index].users = [users[index]]
      principals[index].tokens = TokenDigest(of: Array(tokens[index].utf8)).map { [$0] } ?? []
      principals[index].quotas = quotas
      if bits & 32 != 0 { principals[index].namespace = "shared" }
    }
    principals[0].rules.policies = [.cancel, .wait]
    return principals
  }

  /// The operator takes away what one of the principals is known by, some or all of it, or gives all back.
  private mutating func reload() {
    let choice = choices.byte()
    var configuration = configuration
    let index = Int(choice & 1)
    if choice & 2 != 0 { configuration.principals[index].tokens = [] }
    if choice & 4 != 0 { configuration.principals[index].users = [] }
    core.reconfigure(configuration)
  }

  private mutating func step() throws(Violation) {
    let choice = Int(choices.byte())
    if choice == Self.reloadingChoice { return reload() }
    guard choice < Self.watchingChoices else { return choice & 1 == 0 ? watch() : try readJournal() }
    switch choice % 20 {
    case 0..<6: sendRequest()
    case 6: sendBatch()
    case 7..<9: answer()
    case 9: givePiece()
    case 10: sendWildBytes()
    case 11: sendOwnRequest()
    case 12: passTime(UInt64(choices.byte()) * 16)
    case 13: connectClient()
    case 14: leave()
    case 15: loseUpstream()
    case 16: findUpstream()
    case 17: answerWildBytes()
    case 18: holdBack()
    default: makeRoom()
    }
  }

  /// What is remembered of orders is under way until it is forgotten.
  private var isUnderWay: Bool { core.taskCount > 0 || core.liveRequestCount > 0 || core.orderCount > 0 }

  /// Everything that can end does: what is left afterwards is lost.
  private mutating func finish() throws(Violation) {
    for round in 0..<60 where round == 0 || isUnderWay {
      makeRoom()
      findUpstream()
      try listen()
      while !atUpstream.isEmpty { answer() }
      passTime(5_000)
      try listen()
    }
    for (id, asked) in requests where !asked.isAnswered {
      let isExcused = clients[asked.client].map { $0.isWild || $0.isRevoked } ?? true
      try require(isExcused, "\(id) was never answered")
    }
    for client in clients.values { core.clientDisconnected(client.id) }
    try readJournal()
    try require(core.leftovers.isEmpty, "there is left: \(core.leftovers)")
  }

  /// Takes in what the core says, and checks it.
  private mutating func listen() throws(Violation) {
    while core.isBehind {
      core.goOnWithTimers()
      core.goOnWithAnswers()
      core.goOn()
    }
    core.flush(into: &sink)
    for (number, client) in clients { try hear(number, client) }
    for slot in sink.closed { try forgetClient(slot: slot) }
    sink.closed = []
    if sink.wasDisconnected {
      sink.wasDisconnected = false
      forgetUpstream()
    }
    try hearUpstream()
  }
}
