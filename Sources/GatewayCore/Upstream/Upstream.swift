import HotData
import JSONRPC
import TaskStore

/// The machine of upstreams: pools of connections, the calls that wait or are in flight, the dialect of each upstream,
/// and circuit breakers.
struct Upstream: ~Copyable {
  private let place = StaysInPlace()
  var configuration: GatewayConfiguration
  var nowMilliseconds: UInt64 = 0
  var counters = GatewayCounters()
  var times = GatewayTimes()
  /// The configuration's upstreams first, then those that clients have for themselves.
  var pools = Slab<UpstreamPool>()
  var sessions = Slab<UpstreamSession>()
  /// The upstream whose message was refused last, by its place in the configuration.
  var refusedPlace = 0
  /// Connections to close and forget when the turn ends.
  var endedSessions: [Int] = []
  /// What upstream works on, or will, by the task's slot.
  var calls = SlotArray(empty: Call())
  /// By where it stands at its upstream; where it waits for that; and, of all that wait, by when they started.
  var callLinks = SlotLinks()
  var waitingLines = WaitingLines()
  var allotments = AllotmentTable()
  var arrivalLinks = SlotLinks()
  /// At upstreams that clients share.
  var passedTokens = PassedTokens()

  /// Connections of which something is held, the next in turn first.
  var answerTurns = SlotList()
  var answerTurnLinks = SlotLinks()
  /// The connection that got much output in this turn; -1: none.
  var earlySession = -1

  let upstreamBlocks = BlockPool()
  var upstreamInputBytes = 0
  /// The bounds of what upstreams say, apart from that of a message's length.
  var upstreamScan = ScanLimits()
  var privateSoFar = 0
  /// How many of the clients' own upstreams are open: a closed one may outlive its client until its last task has
  /// ended.
  var openPrivateCount = 0
  var random: SplitMix64

  init(_ configuration: GatewayConfiguration, random: SplitMix64, nowMilliseconds: UInt64) {
    self.configuration = configuration
    self.random = random
    self.nowMilliseconds = nowMilliseconds
    makeSharedUpstreams()
    noteBounds()
  }

  /// Keeps to a configuration from now on.
  mutating func keep(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
    for slot in slots where isThere(slot) { pools[slot].keep(configuration) }
    for slot in 0..<sessions.endSlot where sessions.contains(slot) {
      sessions[slot].framer.keep(limitBytes: configuration.messageLimitBytes)
    }
    noteBounds()
  }

  private mutating func noteBounds() {
    noteAllotments()
    upstreamScan.nestingLevels = configuration.upstreamNestingLevels
  }

  /// When something is next due; `.max`: nothing is.
  @inline(__always)
  var nextDueMilliseconds: UInt64 {
    var due = UInt64.max
    for slot in slots where isThere(slot) { due = min(due, dueMilliseconds(ofUpstream: slot)) }
    return due
  }
}
