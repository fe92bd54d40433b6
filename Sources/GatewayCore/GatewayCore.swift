import HotData
import JSONRPC
import TaskStore

/// The gateway without its sockets: bytes, connections and time go in as events, bytes and wishes come out of `flush`.
///
/// It conducts three machines, none of which knows the others: `Edge` has the clients, `Lanes` the keys and the tasks'
/// requests, `Upstream` the connections to upstreams and the calls in flight there. An event goes to one of them; the
/// core carries what follows to the others, as values. Nothing is written while an event is worked on; output collects
/// until `flush`.
package struct GatewayCore: ~Copyable {
  private let place = StaysInPlace()
  package private(set) var configuration: GatewayConfiguration
  var edge: Edge
  var lanes: Lanes
  var upstreams: Upstream
  var peers: Peers

  /// What is left of the share of the client or the upstream connection at hand.
  var share = TurnShare()
  /// Of answers of another loop that are heard in parts: where the next begins in what it told; 0: none are.
  var answersOffset = 0
  /// Bytes of the messages that came in pieces and were handled in this turn; open requests of clients that are gone
  /// count, too.
  var workBytes = 0
  /// Timers that may still fire in this turn, and whether there are more that are due.
  var timersLeft: Int
  package internal(set) var isLate = false
  var memoryPlan = MemoryPlan()
  /// Tasks ended since the flush began: that may have led to more to write.
  var hasSettled = false
  /// No place for a task is looked for before that.
  var nextTaskSearchMilliseconds: UInt64 = 0
  /// Principals that came by tokens are not looked through before that.
  var nextForgettingMilliseconds: UInt64 = 0
  package private(set) var nowMilliseconds: UInt64 = 0
  package private(set) var isDraining = false
  /// Everything has been given up: nothing starts any more.
  private(set) var isShutDown = false

  /// - Parameters:
  ///   - seed: the source of everything random in here: the key table's hash and the back-off's jitter.
  ///   - loop: which of the process' cores it is.
  package init(
    _ configuration: GatewayConfiguration, seed: UInt64, nowMilliseconds: UInt64, at loop: LoopPlace = .alone
  ) {
    self.configuration = configuration
    timersLeft = configuration.turnTimers
    var random = SplitMix64(seed: seed)
    lanes = Lanes(configuration, seed: random.next(), at: loop)
    edge = Edge(configuration, seed: seed, callerSeed: random.next(), at: loop)
    peers = Peers(loop, labelSeed: seed ^ 0x6c61_6265_6c73)
    upstreams = Upstream(configuration, random: random, nowMilliseconds: nowMilliseconds)
    passTime(nowMilliseconds)
  }

  // MARK: Time

  /// When `timeAdvanced` is next due; the past if there is more to do than a turn has room for.
  package var nextDueMilliseconds: UInt64? { dueMilliseconds == .max ? nil : dueMilliseconds }

  /// The same; the largest number: nothing is due.
  package var dueMilliseconds: UInt64 {
    var due = min(lanes.nextDueMilliseconds, upstreams.nextDueMilliseconds)
    due = min(due, memoryPlan.dueMilliseconds)
    if peers.loop.isInFleet { due = min(due, peers.dueMilliseconds, lanes.partitionsDueMilliseconds) }
    return edge.waitsForNobody ? due : min(due, edge.nextExpiryMilliseconds)
  }

  /// Time passed: fires what is due, in order, as far as the turn has room for it. To be called before the events of
  /// that time.
  package mutating func timeAdvanced(to milliseconds: UInt64) {
    guard milliseconds > nowMilliseconds else { return fireMore() }
    passTime(milliseconds)
    guard isLate || dueMilliseconds <= milliseconds else { return }
    fireDue()
    edge.giveUpOverdueClients()
    endPosts()
  }

  /// Whether tokens count here only for some time, so that it has to be said what time it is.
  package var needsWallClock: Bool { edge.hasIssuers }

  /// The wall clock's time: at the start, and then each time that something is due. Without it no token with an end
  /// counts.
  /// - Parameter unixMilliseconds: milliseconds since 1970.
  /// - Parameter milliseconds: the other clock's time at that moment.
  package mutating func wallClock(says unixMilliseconds: Int64, atMilliseconds milliseconds: UInt64) {
    edge.wallClock(says: unixMilliseconds, atMilliseconds: milliseconds)
  }

  private mutating func passTime(_ milliseconds: UInt64) {
    nowMilliseconds = milliseconds
    edge.nowMilliseconds = milliseconds
    lanes.timeAdvanced(to: milliseconds)
    upstreams.nowMilliseconds = milliseconds
  }

  // MARK: Life cycle

  /// Sets bounds, times and routes for new requests; those that were admitted keep their terms.
  package mutating func reconfigure(_ configuration: GatewayConfiguration) {
    precondition(
      configuration.upstreams.count == self.configuration.upstreams.count,
      "upstreams come and go with the process")
    self.configuration = configuration
    edge.keep(configuration)
    lanes.keep(configuration)
    upstreams.keep(configuration)
    keepQuotas()
    if peers.loop.isInFleet { closeTurnedAway() }
    endPosts()
  }

  /// From now on new work is refused; what was admitted goes on.
  package mutating func drain() { isDraining = true }

  /// Every task that is left ends now: its callers hear that the gateway shuts down.
  package mutating func shutDown() {
    isDraining = true
    isShutDown = true
    for slot in upstreams.callSlots {
      if let task = lanes.task(inSlot: slot) { fail(task, .shuttingDown) }
    }
    if peers.loop.isInFleet { endRemoteCalls() }
  }

  /// Whether nothing is left to do: no live task, nothing to undo, no answer unsent, nothing that upstream has
  /// still to take.
  package var isQuiet: Bool { lanes.isSettled && upstreams.hasSaidAll && hasHandedOutReplies }

  /// Whether nothing that was read is unanswered, and no answer waits for its client to read.
  package var hasHandedOutReplies: Bool { !holdsInput && edge.hasHandedOutReplies }

  // MARK: Output

  /// Hands out what has collected: at most one write for each connection.
  package mutating func flush<Sink: GatewaySink & ~Copyable>(into sink: inout Sink) {
    fireMore()
    checkInvariants()
    memoryPlan.peakBytes = max(memoryPlan.peakBytes, passingByteCount)
    // What waited for an upstream and ended by being sent may have started or refused others.
    repeat {
      hasSettled = false
      flushClients(into: &sink)
      flushUpstreams(into: &sink)
    } while hasSettled || hasMadeRoom(with: &sink)
    giveBackMemory(with: &sink)
    lanes.giveBackForgottenPages()
    timersLeft = configuration.turnTimers
    workBytes = 0
    peers.endTurn()
  }
}
