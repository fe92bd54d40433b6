import GatewayCore
import TaskStore

/// The loosest bounds of all the configurations that were in force: what was admitted keeps its own.
struct Bounds {
  private(set) var tasks = 0
  private(set) var waiters = 0
  private(set) var queuePerLane = 0
  private(set) var orphansPerLane = 0
  private(set) var unansweredPerConnection = 0
  private(set) var clientOutputHardBytes = 0
  private(set) var upstreamOutputSoftBytes = Int.max
  private(set) var orphanMilliseconds = Int.max
  private(set) var compensationMilliseconds = Int.max

  init(_ configuration: GatewayConfiguration) { loosen(configuration) }

  mutating func loosen(_ configuration: GatewayConfiguration) {
    let store = configuration.store
    tasks = max(tasks, store.tasks)
    waiters = max(waiters, store.waiters)
    queuePerLane = max(queuePerLane, store.queuePerLane)
    orphansPerLane = max(orphansPerLane, store.orphansPerLane)
    unansweredPerConnection = max(unansweredPerConnection, configuration.unansweredPerConnection)
    clientOutputHardBytes = max(clientOutputHardBytes, configuration.clientOutputHardBytes)
    upstreamOutputSoftBytes = min(upstreamOutputSoftBytes, configuration.upstreamOutputSoftBytes)
    orphanMilliseconds = min(orphanMilliseconds, Int(store.orphanMilliseconds))
    compensationMilliseconds = min(compensationMilliseconds, Int(store.compensationMilliseconds))
  }
}
