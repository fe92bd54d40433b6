import HotData
import TaskStore

/// The core's state, for watchers and for tests.
extension GatewayCore {
  package var counters: GatewayCounters {
    var counters = edge.counters + lanes.counters + upstreams.counters
    // Those count where their keys are.
    counters.admitted -= UInt64(peers.openCount)
    return counters
  }
  /// Three of the counters, for a caller that reads them every turn.
  package var clientsClosedForRoom: UInt64 { edge.counters.clientsClosedForRoom }
  package var refusedMessageCount: UInt64 { upstreams.counters.refusedMessages }
  /// Of the last of these: its upstream's place in the configuration.
  package var refusedMessagePlace: Int { upstreams.refusedPlace }
  package var failedAuthenticationCount: UInt64 { edge.counters.failedAuthentications }
  /// All that is counted to be told. Only a new configuration makes it less.
  private var newsCount: UInt64 {
    edge.counters.clientsClosedForRoom &+ upstreams.counters.refusedMessages
      &+ edge.counters.failedAuthentications &+ UInt64(truncatingIfNeeded: edge.keylessRouteCount)
  }
  /// Whether there is more of that than was told of, or anything that is told once, or pages to give back: asked at each
  /// turn's end, in place of one question for each.
  package func hasNews(since told: UInt64) -> Bool {
    newsCount != told || edge.isToBeHeard || hasPagesToGiveBack
  }
  package var times: GatewayTimes { upstreams.times }
  package var logInFaults: LogInFaultCounts { edge.logInFaults }

  package var taskCount: Int { lanes.taskCount }
  package var clientCount: Int { edge.clientCount }
  package var keyCount: Int { lanes.keyCount }
  /// Keys of sessions of which the highest `task.order` is remembered.
  package var orderCount: Int { lanes.orderCount }
  package var liveRequestCount: Int { lanes.waiterCount }
  /// Routes of this configuration whose first request had no key where they look for it, in the order of those requests.
  package var keylessRoutes: [Int] { edge.keylessRoutes }

  /// Whether requests to any upstream that clients share can be sent at once.
  package var isConnected: Bool { configuration.upstreams.indices.allSatisfy { upstreams.isReachable($0) } }
  /// By its place in the configuration, each upstream that clients share and that no request can be sent to.
  package var unconnectedUpstreams: [Int] {
    configuration.upstreams.indices.filter { !upstreams.isReachable($0) }
  }

  // MARK: Notifications that were refused

  package var hasRefusedNotifications: Bool { edge.hasRefusedNotifications }
  /// Gives the notifications that were refused since the last time.
  package mutating func takeRefusedNotifications() -> [RefusedNotification] {
    edge.takeRefusedNotifications()
  }

  // MARK: The journal

  /// Notes from now on what happens to tasks, or no longer.
  /// - Parameter limitEvents: so many until `takeJournal`, of others only how many there were; nil: nobody watches.
  package mutating func watch(limitEvents: Int?) { lanes.journal.open(limitEvents: limitEvents) }

  /// Asks the shell for the origins of noted requests, as long as their clients are there: to be called before `flush`,
  /// in which these may go.
  package mutating func nameOrigins(_ name: (inout TaskOrigin) -> Void) {
    while var origin = lanes.journal.unnamedOrigin {
      let slot = origin.client.slot
      if edge.isThere(slot) && edge.number(of: slot) == origin.connection { name(&origin) }
      lanes.journal.nameOrigin(as: origin)
    }
  }

  /// Shows what was noted since the last time, and forgets it.
  package mutating func takeJournal(_ body: (borrowing TaskJournal) -> Void) {
    body(lanes.journal)
    lanes.journal.removeAll()
  }

  // MARK: Bytes

  /// Bytes that are held, shared ones counted once.
  package var heldByteCount: Int { passingByteCount &+ edge.carryingBytes &+ edge.arrivingBytes }
  /// Bytes of messages, which come and go.
  @inline(__always)
  var passingByteCount: Int { edge.clientByteCount &+ lanes.requestByteCount &+ upstreams.heldByteCount }
  /// Bytes held for clients, without those of their requests.
  package var clientByteCount: Int { edge.clientByteCount &+ edge.carryingBytes }
  /// Of that, what carries them.
  package var transportByteCount: Int { edge.carryingBytes }
  /// Bytes of connections that are no clients yet.
  package var arrivingByteCount: Int { edge.arrivingBytes }
  /// Bytes of methods, params and traces that are kept.
  package var requestByteCount: Int { lanes.requestByteCount }
  /// The listener to which it came.
  package func listener(of client: ClientID) -> Int { edge.listener(of: client.slot) }
  /// Whether it has not authenticated, and has to.
  package func isUnknown(_ client: ClientID) -> Bool { edge.isUnknown(client.slot) }
  /// Bytes that a client has still to take.
  package func unsentByteCount(of client: ClientID) -> Int { edge.unsentByteCount(of: client.slot) }
  package func unsentByteCount(of upstream: UpstreamID) -> Int {
    upstreams.unsentByteCount(ofSession: upstream.slot)
  }
  /// What is kept of a client, and for it, as if nothing were shared.
  package func heldByteCount(of client: ClientID) -> Int { edge.heldByteCount(of: client.slot) }
  /// What a client's open requests ask, as far as it is kept.
  package func requestByteCount(of client: ClientID) -> Int {
    lanes.requestByteCount(ofAccount: edge.account(of: client.slot))
  }
  /// Tasks that a connection had admitted and that have not ended.
  package func taskCount(of client: ClientID) -> Int { lanes.taskCount(of: edge.account(of: client.slot)) }

  /// The same of all connections of a client's principal, of those that are gone, too; 0: it is nobody in particular.
  package func principalTaskCount(of client: ClientID) -> Int {
    lanes.usage(ofAccount: edge.account(of: client.slot)).tasks
  }
  /// Requests of all connections of a client's principal that are not answered yet.
  package func principalCallerCount(of client: ClientID) -> Int {
    edge.callerCount(ofPrincipalOf: client.slot)
  }
  package func principalByteCount(of client: ClientID) -> Int {
    lanes.usage(ofAccount: edge.account(of: client.slot)).requestBytes
  }
  /// Principals that count for more, or less, than their connections: none.
  package var misaccountedPrincipals: [Int] { lanes.misaccountedPrincipals + edge.miscountedPrincipals }

  /// The sum of what accounts are charged for, with accounts of connections that are gone.
  package var accountedRequestBytes: Int { lanes.accountedRequestBytes }

  /// Bytes of params that nobody needs any more: of draining tasks that are not undone, and of notifications on their
  /// way.
  package var needlessRequestBytes: Int {
    upstreams.callSlots.reduce(0) { sum, slot in
      let isNeedless = upstreams.isNeedless(slot, isCompensated: lanes.isCompensated(slot))
      return isNeedless ? sum + lanes.paramsByteCount(slot) : sum
    }
  }

  /// The bytes that answers of batches take, less those that are counted: 0.
  package var uncountedBatchBytes: Int { edge.uncountedBatchBytes }

  // MARK: What is not done yet

  /// Whether all that collected in a turn has been handed out.
  package var isFlushed: Bool { edge.dirtyCount == 0 && !hasSettled }
  /// Whether anything that has come of an upstream waits to be handled.
  package var holdsAnswers: Bool { upstreams.holdsAnswers }

  /// A client's input that is not handled yet: bytes, and, before them, items of an array that was begun.
  package func heldInput(of client: ClientID) -> (bytes: Int, items: Int) { edge.heldInput(of: client.slot) }
  /// The same of an upstream.
  package func heldAnswerBytes(of upstream: UpstreamID) -> Int {
    upstreams.heldByteCount(ofSession: upstream.slot)
  }

  /// The client that has this connection to an upstream for itself; nil: it is for all.
  package func owner(of upstream: UpstreamID) -> ClientID? {
    let client = upstreams.client(ofSession: upstream.slot)
    return client < 0 ? nil : ClientID(slot: client)
  }

  /// So many tokens of progress are kept.
  package var progressTokenCount: Int { upstreams.tokenCount }

  /// The answer to HTTP, which ends the connection.
  package static var answerToHTTP: String { Edge.answerToHTTP }

  // MARK: Gauges

  /// Looks at every task: for callers that ask now and then.
  package var gauges: GatewayGauges {
    var gauges = GatewayGauges()
    gauges.connections = edge.connectionCount
    gauges.requests = liveRequestCount - peers.openCount
    gauges.lanes = keyCount
    gauges.tasks = lanes.taskCounts
    gauges.payloadBytes = lanes.payloadByteCount
    gauges.heldBytes = heldByteCount
    return gauges
  }

  /// By an upstream's place in the configuration; those that clients have for themselves count for theirs.
  package var upstreamGauges: [UpstreamGauges] { upstreams.gauges }

  /// Tasks that outlived their drain grace, since the start.
  package var orphansSoFar: UInt64 { lanes.orphansSoFar }

  /// The lanes with the most tasks, the fullest first; of equals the older.
  /// - Parameter taskLimit: so many of the newest tasks of each.
  package func fullestLanes(limit: Int, taskLimit: Int) -> [LaneView] {
    lanes.fullest(limit: limit, taskLimit: taskLimit)
  }
}
