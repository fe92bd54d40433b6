package import GatewayCore
import TaskStore

/// What the core is told of it.
extension FileConfiguration {
  package var core: GatewayConfiguration {
    var core = GatewayConfiguration()
    applyBounds(to: &core)
    core.upstreams = upstreams.map { UpstreamOptions(cancel: $0.cancel) }
    core.routes = routes.map { route in
      Route(method: route.values.method.literal, compensation: route.compensation?.description)
    }
    if let upstream = upstreams.first { applyBounds(of: upstream.values, to: &core) }
    return core
  }

  private func applyBounds(to core: inout GatewayConfiguration) {
    core.store.tasks = bounds.tasks
    core.store.waiters = bounds.waiters
    core.store.queuePerLane = bounds.queuePerLane
    core.store.orphansPerLane = bounds.orphansPerLane
    core.store.orphanMilliseconds = UInt64(bounds.orphanMilliseconds)
    core.store.compensationMilliseconds = UInt64(bounds.compensationMilliseconds)
    core.messageLimitBytes = bounds.messageBytes
    core.batchItems = bounds.batchItems
    core.batchReplyBytes = bounds.batchReplyBytes
    core.connections = bounds.connections
    core.unansweredPerConnection = bounds.unansweredPerConnection
    core.payloadBytes = bounds.payloadBytes
    core.clientOutputSoftBytes = bounds.clientOutputSoftBytes
    core.clientOutputHardBytes = bounds.clientOutputHardBytes
    core.upstreamOutputSoftBytes = bounds.upstreamOutputSoftBytes
    core.upstreamOutputHardBytes = bounds.upstreamOutputHardBytes
    core.timeoutMilliseconds = UInt32(bounds.timeoutMilliseconds)
    core.drainMilliseconds = UInt32(bounds.drainMilliseconds)
    core.connectMilliseconds = UInt64(bounds.connectMilliseconds)
    core.firstBackOffMilliseconds = UInt64(bounds.firstBackOffMilliseconds)
    core.lastBackOffMilliseconds = UInt64(bounds.lastBackOffMilliseconds)
  }

  /// There is one upstream, so that what is its own can stand for all.
  private func applyBounds(of upstream: UpstreamSettings, to core: inout GatewayConfiguration) {
    if let own = upstream.connectMilliseconds { core.connectMilliseconds = UInt64(own) }
    if let own = upstream.outputSoftBytes { core.upstreamOutputSoftBytes = own }
    if let own = upstream.outputHardBytes { core.upstreamOutputHardBytes = own }
  }
}
