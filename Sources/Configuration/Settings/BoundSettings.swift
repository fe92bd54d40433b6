import GatewayCore
import JSONRPC
import TaskStore

/// What a client, an upstream or a key can at most cost, and how long things may take.
package struct BoundSettings: SettingValues {
  private static let core = GatewayConfiguration()

  package var messageBytes = core.messageLimitBytes
  package var nestingLevels = core.scan.nestingLevels
  package var batchItems = core.batchItems
  package var batchReplyBytes = core.batchReplyBytes
  package var idBytes = core.scan.idBytes
  package var keyBytes = core.keyBytes
  package var groupBytes = core.groupBytes
  package var methodBytes = core.scan.methodBytes

  package var connections = core.connections
  package var unansweredPerConnection = core.unansweredPerConnection
  package var tasksPerConnection = core.tasksPerConnection
  package var tasks = core.store.tasks
  package var waiters = core.store.waiters
  package var callersPerTask = core.store.callersPerTask
  package var queuePerLane = core.store.queuePerLane
  package var orphansPerLane = core.store.orphansPerLane
  package var inFlightPerEndpoint = core.inFlightPerEndpoint
  package var waitingPerUpstream = core.waitingPerUpstream
  package var connectingPerEndpoint = core.connectingPerEndpoint
  package var privateUpstreams = core.privateUpstreams
  package var upstreamRequests = core.upstreamRequests
  package var failuresInARow = core.failuresInARow

  package var memoryBytes = core.memoryBytes
  package var payloadBytes = core.payloadBytes
  package var clientOutputSoftBytes = core.clientOutputSoftBytes
  package var clientOutputHardBytes = core.clientOutputHardBytes
  package var upstreamOutputSoftBytes = core.upstreamOutputSoftBytes
  package var upstreamOutputHardBytes = core.upstreamOutputHardBytes
  package var turnBytes = 256 * 1024
  package var turnMessages = core.turnMessages
  package var turnOutputBytes = core.turnOutputBytes
  package var turnAnswers = core.turnAnswers
  package var turnTimers = core.turnTimers

  package var turnMilliseconds = 2
  package var timeoutMilliseconds = Int(core.timeoutMilliseconds)
  package var drainMilliseconds = Int(core.drainMilliseconds)
  package var longestTimeoutMilliseconds = Int(core.longest.timeoutMilliseconds)
  package var longestDrainMilliseconds = Int(core.longest.drainMilliseconds)
  package var longestDebounceMilliseconds = Int(core.longest.debounceMilliseconds)
  package var longestMaxWaitMilliseconds = Int(core.longest.maxWaitMilliseconds)
  package var longestMaxStaleMilliseconds = Int(core.longest.maxStaleMilliseconds)
  package var orphanMilliseconds = Int(core.store.orphanMilliseconds)
  package var compensationMilliseconds = Int(core.store.compensationMilliseconds)
  package var connectMilliseconds = Int(core.connectMilliseconds)
  package var attemptMilliseconds = Int(core.attemptMilliseconds)
  package var answerMilliseconds = Int(core.answerMilliseconds)
  package var firstBackOffMilliseconds = Int(core.firstBackOffMilliseconds)
  package var lastBackOffMilliseconds = Int(core.lastBackOffMilliseconds)
  package var firstByteMilliseconds = Int(core.firstByteMilliseconds)
  package var messageMilliseconds = Int(core.messageMilliseconds)
  package var idleMilliseconds = Int(core.idleMilliseconds)
  package var stallMilliseconds = Int(core.stallMilliseconds)

  package init() {}

  package static let blockName = "bounds"
  package static let blockMeaning = [
    "What a client, an upstream or a key can at most cost, and how long things may take."
  ]
  package static let settings = messageSettings + countSettings + byteSettings + timeSettings
}
