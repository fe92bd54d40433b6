import GatewayCore
import Identity
import TaskStore

/// The loosest bounds of all the configurations that were in force: an admitted request keeps the bounds of its own.
struct Bounds {
  private(set) var tasks = 0
  private(set) var waiters = 0
  private(set) var callersPerTask = 0
  private(set) var tasksPerLane = 0
  private(set) var queuePerLane = 0
  private(set) var orphansPerLane = 0
  private(set) var tightestOrphansPerLane = Int.max
  private(set) var unansweredPerConnection = 0
  private(set) var tasksPerConnection = 0
  private(set) var requestBytes = 0
  /// Of principals; `.max`: without bound.
  private(set) var tasksPerPrincipal = 0
  private(set) var callersPerPrincipal = 0
  private(set) var principalPayloadBytes = 0
  private(set) var requestsPerSecond = 0
  private(set) var supersessionsPerSecond = 0
  private(set) var cancelsPerSecond = 0
  private(set) var privateUpstreams = 0
  private(set) var clientOutputSoftBytes = 0
  private(set) var tightestClientOutputBytes = Int.max
  private(set) var clientOutputHardBytes = 0
  private var tightestClientHardBytes = Int.max
  /// The tightest bounds on memory for clients; `.max`: without bound.
  private var tightestClientBytes = Int.max
  private var tightestRequestBytes = Int.max
  /// Below this no client is closed to make room: one that asks for little never is.
  var tightestMemoryBytes: Int {
    requestBytes >= Oracle.littleAsked ? min(tightestClientBytes, tightestRequestBytes) : tightestClientBytes
  }
  /// Whether a client may have been closed for what it had not read.
  var mayCloseUnread: Bool { min(tightestClientHardBytes, tightestMemoryBytes) < World.tightBytes }
  private(set) var batchReplyBytes = Int.max
  private(set) var longestBatchReplyBytes = 0
  /// The shortest time for which orders are remembered, and the fewest of them.
  private(set) var orderMilliseconds = Int.max
  private(set) var fewestOrders = Int.max
  private(set) var orphanMilliseconds = Int.max
  private(set) var longestOrphanMilliseconds = 0
  private(set) var shortestUndoingMilliseconds = Int.max
  private(set) var longestUndoingMilliseconds = 0

  /// The shortest and the longest that were in force; `.max`: for ever.
  private(set) var firstByteMilliseconds = 0...0
  private(set) var messageMilliseconds = 0...0
  private(set) var idleMilliseconds = 0...0
  private(set) var stallMilliseconds = 0...0
  private(set) var authenticateMilliseconds = 0...0

  init(_ configuration: GatewayConfiguration) {
    firstByteMilliseconds = Self.limit(configuration.firstByteMilliseconds)
    messageMilliseconds = Self.limit(configuration.messageMilliseconds)
    idleMilliseconds = Self.limit(configuration.idleMilliseconds)
    stallMilliseconds = Self.limit(configuration.stallMilliseconds)
    authenticateMilliseconds = Self.limit(configuration.authenticateMilliseconds)
    loosen(configuration)
  }

  /// What open requests may ask.
  static func requestBytes(_ configuration: GatewayConfiguration) -> Int {
    let memoryBytes = configuration.memoryBytes
    guard memoryBytes > 0 else { return configuration.payloadBytes }
    return min(configuration.payloadBytes, memoryBytes / GatewayConfiguration.requestPart)
  }

  private static func limit(_ milliseconds: UInt64) -> ClosedRange<Int> {
    let limit = milliseconds == 0 ? Int.max : Int(milliseconds)
    return limit...limit
  }

  /// So many requests of a principal may wait for an answer.
  static func callers(_ quotas: Quotas, _ configuration: GatewayConfiguration) -> Int {
    quotas.callers > 0 ? quotas.callers : max(1, configuration.store.waiters / 4)
  }

  private mutating func loosen(_ quotas: Quotas) {
    func rate(_ perSecond: Int) -> Int { perSecond == 0 ? .max : perSecond }
    tasksPerPrincipal = max(tasksPerPrincipal, quotas.tasks)
    principalPayloadBytes = max(principalPayloadBytes, quotas.payloadBytes)
    requestsPerSecond = max(requestsPerSecond, rate(quotas.requestsPerSecond))
    supersessionsPerSecond = max(supersessionsPerSecond, rate(quotas.supersessionsPerSecond))
    cancelsPerSecond = max(cancelsPerSecond, rate(quotas.cancelsPerSecond))
  }

  private static func widen(_ range: inout ClosedRange<Int>, _ milliseconds: UInt64) {
    let limit = limit(milliseconds).lowerBound
    range = min(range.lowerBound, limit)...max(range.upperBound, limit)
  }

  mutating func loosen(_ configuration: GatewayConfiguration) {
    let store = configuration.store
    Self.widen(&firstByteMilliseconds, configuration.firstByteMilliseconds)
    Self.widen(&messageMilliseconds, configuration.messageMilliseconds)
    Self.widen(&idleMilliseconds, configuration.idleMilliseconds)
    Self.widen(&stallMilliseconds, configuration.stallMilliseconds)
    Self.widen(&authenticateMilliseconds, configuration.authenticateMilliseconds)
    tasks = max(tasks, store.tasks)
    waiters = max(waiters, store.waiters)
    callersPerTask = max(callersPerTask, store.callersPerTask)
    tasksPerLane = max(tasksPerLane, store.tasksPerLane)
    queuePerLane = max(queuePerLane, store.queuePerLane)
    orphansPerLane = max(orphansPerLane, store.orphansPerLane)
    tightestOrphansPerLane = min(tightestOrphansPerLane, store.orphansPerLane)
    unansweredPerConnection = max(unansweredPerConnection, configuration.unansweredPerConnection)
    tasksPerConnection = max(tasksPerConnection, configuration.tasksPerConnection)
    requestBytes = max(requestBytes, Self.requestBytes(configuration))
    for quotas in configuration.principals.map(\.quotas) {
      loosen(quotas)
      callersPerPrincipal = max(callersPerPrincipal, Self.callers(quotas, configuration))
    }
    privateUpstreams = max(privateUpstreams, configuration.privateUpstreams)
    clientOutputSoftBytes = max(clientOutputSoftBytes, configuration.clientOutputSoftBytes)
    tightestClientOutputBytes = min(tightestClientOutputBytes, configuration.clientOutputSoftBytes)
    tightestClientHardBytes = min(tightestClientHardBytes, configuration.clientOutputHardBytes)
    clientOutputHardBytes = max(clientOutputHardBytes, configuration.clientOutputHardBytes)
    if configuration.memoryBytes > 0 {
      tightestClientBytes = min(tightestClientBytes, configuration.memoryBytes)
    }
    tightestRequestBytes = min(tightestRequestBytes, Self.requestBytes(configuration))
    orderMilliseconds = min(orderMilliseconds, Int(configuration.orderMilliseconds))
    fewestOrders = min(fewestOrders, configuration.orders)
    batchReplyBytes = min(batchReplyBytes, configuration.batchReplyBytes)
    longestBatchReplyBytes = max(longestBatchReplyBytes, configuration.batchReplyBytes)
    longestOrphanMilliseconds = max(longestOrphanMilliseconds, Int(store.orphanMilliseconds))
    orphanMilliseconds = min(orphanMilliseconds, Int(store.orphanMilliseconds))
    longestOrphanMilliseconds = max(longestOrphanMilliseconds, Int(store.orphanMilliseconds))
    shortestUndoingMilliseconds = min(shortestUndoingMilliseconds, Int(store.compensationMilliseconds))
    longestUndoingMilliseconds = max(longestUndoingMilliseconds, Int(store.compensationMilliseconds))
  }
}
