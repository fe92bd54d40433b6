import GatewayCore
import JSONRPC
import TaskStore

/// The gateway's core among simulated clients, upstreams, a network, an operator and one clock; an oracle watches.
///
/// Nothing in here is random: the same configuration and the same steps give the same log, byte for byte.
struct World: ~Copyable {
  static let slackBytes = JSONText.slackByteCount
  static let listeners = 2
  static let startMilliseconds = 1_000
  /// A bound below this may be reached by a few messages.
  static let tightBytes = 1 << 16

  private let configurations: [GatewayConfiguration]
  var core: GatewayCore
  var network: Network
  var oracle: Oracle
  /// Checks what a watcher is told; nil: nobody watches.
  var chronicle: Chronicle?
  var measures = Measures()
  var clients = ClientTable()
  /// By their numbers, and which of them are open.
  var links: [SimulatedLink] = []
  var openLinks: [Int] = []
  /// Which link has a number of the core's; -1: none.
  var linkOfSlot: [Int] = []
  var log = LogHash()
  var line: [UInt8] = []
  var chunk: [UInt8] = []
  /// The core has heard of something since its last flush.
  var turnIsOpen = false
  var timeHasPassed = false

  /// - Parameters:
  ///   - configurations: the one it begins with, and those that the operator may load.
  ///   - watchLimitEvents: nil: nobody watches.
  init(
    _ configurations: [GatewayConfiguration], seed: UInt64, nowMilliseconds: Int = startMilliseconds,
    watchLimitEvents: Int? = nil
  ) {
    self.configurations = configurations
    let configuration = configurations[0]
    oracle = Oracle(configuration)
    network = Network()
    oracle.nowMilliseconds = nowMilliseconds
    core = GatewayCore(configuration, seed: seed, nowMilliseconds: UInt64(nowMilliseconds))
    core.wallClock(
      says: Int64(nowMilliseconds + Population.unixOffsetMilliseconds),
      atMilliseconds: UInt64(nowMilliseconds))
    chronicle = watchLimitEvents.map { Chronicle(limitEvents: $0) }
    core.watch(limitEvents: watchLimitEvents)
    endTurn()
  }

  var logHash: UInt64 { log.value }
  var nowMilliseconds: Int { oracle.nowMilliseconds }

  /// Carries a step out, unless it is impossible now; what is wrong with what came of it, if anything.
  mutating func apply(_ step: Step) -> String? {
    let isLate = core.isLate && !turnIsOpen
    if isLate { goOnWithTimers() }
    let isPossible = perform(step.action)
    if isPossible || isLate {
      oracle.noteFollowers(&core, clients)
      if isPossible { oracle.coverage.count(step.action) }
      turnIsOpen = true
      if step.flushesEarly { flushEarly() }
      if step.endsTurn && turnIsOpen { endTurn() }
      checkCounters()
    }
    return oracle.complaint ?? network.complaint
  }

  /// While the gateway's process is stopped its clients can do no more than send, and none of that arrives.
  mutating func applyWhileStopped(_ action: Action) -> String? {
    switch action {
    case .send, .finish: if perform(action) { oracle.coverage.count(action) }
    default: break
    }
    return oracle.complaint
  }

  /// False for what is impossible now.
  private mutating func perform(_ action: Action) -> Bool {
    switch action {
    case .connect(let client, let listener, let room, let framing, let user):
      connect(client, listener: listener, room: room, framing, user: user)
    case .connectSecurely(let client, let listener, let room, let framing, let user):
      connectSecurely(
        client, SecureChannel.Greeting(listener: listener, room: room, framing: framing, user: user))
    case .changeKeys(let client): changeKeys(of: client)
    case .alter(let client, let place): alter(client, place)
    case .cutOff(let client): cutOff(client)
    case .send(let client, let message): send(message, from: client)
    case .deliver(let client, let bytes): deliver(bytes, from: client, isLate: false)
    case .deliverLate(let client, let bytes): deliver(bytes, from: client, isLate: true)
    case .goOn: goOn()
    case .finish(let client, let isMidMessage): finish(client, isMidMessage: isMidMessage)
    case .reset(let client): reset(client)
    case .resetLate(let client): resetLate(client)
    case .read(let client, let bytes): read(bytes, by: client)
    case .accept(let link, let room): accept(link, room: room)
    case .refuse(let link): refuse(link)
    case .cut(let link): cut(link)
    case .answer(let link, let name, let answer): say(answer, to: name, from: link)
    case .fail(let link, let name, let failure): fail(name, failure, at: link)
    case .take(let link, let name): take(name, at: link)
    case .ask(let link, let question): ask(question, from: link)
    case .utter(let link, let noise): utter(noise, from: link)
    case .deliverAnswers(let link, let bytes): deliverAnswers(bytes, from: link)
    case .readUpstream(let link, let bytes): readUpstream(bytes, by: link)
    case .pass(let milliseconds): pass(milliseconds)
    case .passToNextTimer: passToNextTimer()
    case .drain: drain()
    case .shutDown: shutDown()
    case .reconfigure(let index): reconfigure(index)
    case .evict(let client): evict(client)
    // What goes on between gateways is none of one gateway's world.
    case .member: false
    }
  }

  // MARK: Time and the operator

  private mutating func pass(_ milliseconds: Int) -> Bool {
    // Time passes between turns of the loop, not within one, and not before all has happened that was due.
    if turnIsOpen { endTurn() }
    catchUp()
    log.add(milliseconds)
    timeHasPassed = timeHasPassed || milliseconds > 0
    oracle.event += 1
    let overdue = oracle.overdue(at: nowMilliseconds + milliseconds, &core, clients)
    oracle.nowMilliseconds += milliseconds
    core.timeAdvanced(to: UInt64(nowMilliseconds))
    if milliseconds > 0 { oracle.timeHasPassed(overdue, &core, clients) }
    giveUpAttempts()
    noteOverdue()
    noteRevoked(oracle.endTokens(clients.open))
    judgeClock()
    return true
  }

  /// A turn after the other, until no timer is left that is due.
  mutating func catchUp() {
    while core.isLate {
      goOnWithTimers()
      endTurn()
    }
  }

  /// Each turn begins with some of the timers that are due.
  private mutating func goOnWithTimers() {
    turnIsOpen = true
    oracle.event += 1
    core.timeAdvanced(to: UInt64(nowMilliseconds))
    judgeClock()
  }

  /// Once nothing is late any more, all that was due has happened.
  mutating func judgeClock() {
    oracle.isLate = core.isLate
    guard !core.isLate else { return oracle.isBehind() }
    oracle.judgeOverdue(&core, clients)
    oracle.expectNoneWaitsInVain(&core, clients)
    oracle.judgeTimes(&core, clients)
  }

  private mutating func passToNextTimer() -> Bool {
    guard let milliseconds = millisecondsToNextTimer() else { return false }
    return pass(milliseconds)
  }

  /// How long the gateway has nothing to do by itself, once its turn has ended; nil: for ever.
  mutating func millisecondsToNextTimer() -> Int? {
    if turnIsOpen { endTurn() }
    return core.nextDueMilliseconds.map { max(1, Int($0) - oracle.nowMilliseconds) }
  }

  private mutating func drain() -> Bool {
    guard !oracle.isDraining else { return false }
    log.add(1)
    oracle.isDraining = true
    core.drain()
    return true
  }

  private mutating func shutDown() -> Bool {
    guard oracle.isDraining, !oracle.isShutDown else { return false }
    // What the turn has brought is written before.
    if turnIsOpen { endTurn() }
    log.add(2)
    oracle.event += 1
    oracle.isShutDown = true
    let onTheirWay = oracle.surelyOnTheirWay
    let lost = core.counters.notificationsLost
    core.shutDown()
    oracle.expect(
      core.counters.notificationsLost >= lost + UInt64(onTheirWay),
      "\(onTheirWay) notifications were on their way, and not all are counted as lost")
    return true
  }

  private mutating func reconfigure(_ index: Int) -> Bool {
    guard index < configurations.count else { return false }
    log.add(index)
    core.reconfigure(configurations[index])
    oracle.isReconfigured(configurations[index])
    noteRevoked(oracle.revoke(clients.open))
    return true
  }

  private mutating func noteRevoked(_ revoked: [Int]) {
    for client in revoked { clients.all[client].timeouts.hasToGo() }
  }

  private mutating func evict(_ client: Int) -> Bool {
    guard let id = clients.id(of: client), !clients.all[client].isGone else { return false }
    log.add(client)
    // To an operator the POSTs of a session are one connection.
    let members = oracle.session(of: client)
    let count = core.evict(connection: core.number(of: id))
    oracle.expect(
      count <= members.count, "\(count) connections were evicted instead of client \(client)")
    for member in members {
      oracle.isEvicted(member, isSure: count == members.count)
      clients.all[member].timeouts.hasToGo()
    }
    return true
  }

  // MARK: Checks

  private mutating func checkCounters() {
    oracle.expectSum(core.counters, live: core.liveRequestCount)
    oracle.expectWithinBounds(tasks: core.taskCount, callers: core.liveRequestCount)
  }
}
