package import GatewayCore
import JSONRPC
import TaskStore

/// What the core is told of it.
extension FileConfiguration {
  package var core: GatewayConfiguration {
    var core = GatewayConfiguration()
    applyBounds(to: &core)
    core.listeners = listeners.map { Self.listener($0.values) }
    core.upstreams = upstreams.map { upstream($0.values) }
    core.routes = routes.map { route($0.values) }
    return core
  }

  private func applyBounds(to core: inout GatewayConfiguration) {
    core.store.tasks = bounds.tasks
    core.store.waiters = bounds.waiters
    core.store.callersPerTask = bounds.callersPerTask
    core.store.queuePerLane = bounds.queuePerLane
    core.store.orphansPerLane = bounds.orphansPerLane
    core.store.orphanMilliseconds = UInt64(bounds.orphanMilliseconds)
    core.store.compensationMilliseconds = UInt64(bounds.compensationMilliseconds)
    core.inFlightPerEndpoint = bounds.inFlightPerEndpoint
    core.waitingPerUpstream = bounds.waitingPerUpstream
    core.connectingPerEndpoint = bounds.connectingPerEndpoint
    core.privateUpstreams = bounds.privateUpstreams
    core.upstreamRequests = bounds.upstreamRequests
    core.failuresInARow = bounds.failuresInARow
    core.messageLimitBytes = bounds.messageBytes
    core.scan = ScanLimits(
      nestingLevels: bounds.nestingLevels, idBytes: bounds.idBytes, methodBytes: bounds.methodBytes)
    core.keyBytes = bounds.keyBytes
    core.groupBytes = bounds.groupBytes
    core.batchItems = bounds.batchItems
    core.batchReplyBytes = bounds.batchReplyBytes
    core.turnMessages = bounds.turnMessages
    core.turnOutputBytes = bounds.turnOutputBytes
    core.turnAnswers = bounds.turnAnswers
    core.turnTimers = bounds.turnTimers
    core.connections = bounds.connections
    core.unansweredPerConnection = bounds.unansweredPerConnection
    core.tasksPerConnection = bounds.tasksPerConnection
    core.memoryBytes = bounds.memoryBytes
    core.payloadBytes = bounds.payloadBytes
    core.clientOutputSoftBytes = bounds.clientOutputSoftBytes
    core.clientOutputHardBytes = bounds.clientOutputHardBytes
    core.upstreamOutputSoftBytes = bounds.upstreamOutputSoftBytes
    core.upstreamOutputHardBytes = bounds.upstreamOutputHardBytes
    core.timeoutMilliseconds =
      bounds.timeoutMilliseconds > 0 ? UInt32(bounds.timeoutMilliseconds) : Admission.unlimited
    core.drainMilliseconds = UInt32(bounds.drainMilliseconds)
    core.longest.timeoutMilliseconds = UInt32(bounds.longestTimeoutMilliseconds)
    core.longest.drainMilliseconds = UInt32(bounds.longestDrainMilliseconds)
    core.longest.debounceMilliseconds = UInt32(bounds.longestDebounceMilliseconds)
    core.longest.maxWaitMilliseconds = UInt32(bounds.longestMaxWaitMilliseconds)
    core.longest.maxStaleMilliseconds = UInt32(bounds.longestMaxStaleMilliseconds)
    core.connectMilliseconds = UInt64(bounds.connectMilliseconds)
    core.attemptMilliseconds = UInt64(bounds.attemptMilliseconds)
    core.answerMilliseconds = UInt64(bounds.answerMilliseconds)
    core.firstBackOffMilliseconds = UInt64(bounds.firstBackOffMilliseconds)
    core.lastBackOffMilliseconds = UInt64(bounds.lastBackOffMilliseconds)
    core.firstByteMilliseconds = UInt64(bounds.firstByteMilliseconds)
    core.messageMilliseconds = UInt64(bounds.messageMilliseconds)
    core.idleMilliseconds = UInt64(bounds.idleMilliseconds)
    core.stallMilliseconds = UInt64(bounds.stallMilliseconds)
  }

  private static func listener(_ settings: ListenerSettings) -> ListenerOptions {
    var options = ListenerOptions()
    options.scope = settings.scope == .shared ? .shared : .connection
    options.cancelsAtEnd = settings.endOfInput == .cancel
    options.hidesSupersession = settings.errorProfile == .lsp
    return options
  }

  private func upstream(_ settings: UpstreamSettings) -> UpstreamOptions {
    var options = UpstreamOptions(cancel: settings.dialect)
    options.shape = settings.takesExchanges ? .exchanges : .connection
    options.framing = settings.framing ?? .lines
    options.toleratesNoise = settings.kind == .command
    options.trustsAnswers = settings.trustsAnswers
    options.isPerConnection = settings.isPerConnection
    options.endpoints = settings.endpoints.count
    options.cancelNotification = settings.cancelMethod.map { method in
      CancelNotification(
        method: method.description, member: settings.cancelMember?.description ?? "id",
        isAnswered: settings.cancelAnswered ?? true)
    }
    options.passesTask = settings.passesTask
    options.stopsWhenAborted = settings.isHard || settings.stopsWhenAborted ?? false
    options.connectMilliseconds = settings.connectMilliseconds.map { UInt64($0) }
    options.answerMilliseconds = settings.answerMilliseconds.map { UInt64($0) }
    options.inFlightPerEndpoint = settings.inFlightRequests ?? usualInFlight(settings)
    options.inFlightPerConnection = settings.inFlightRequestsPerConnection
    options.waitingRequests = settings.waitingRequests
    options.outputSoftBytes = settings.outputSoftBytes
    options.outputHardBytes = settings.outputHardBytes
    return options
  }

  /// Where each request costs a connection or a child, far fewer are at work at once.
  private func usualInFlight(_ settings: UpstreamSettings) -> Int? {
    guard settings.takesExchanges else { return nil }
    return min(settings.connections ?? UpstreamSettings.usualExchanges, bounds.inFlightPerEndpoint)
  }

  /// Requests that all endpoints of an upstream work on at once.
  func inFlightRequests(of settings: UpstreamSettings) -> Int {
    let ofEach = settings.inFlightRequests ?? usualInFlight(settings) ?? bounds.inFlightPerEndpoint
    return ofEach * settings.endpoints.count
  }

  private func route(_ settings: RouteSettings) -> Route {
    var route = Route(method: settings.method.literal, compensation: settings.compensation?.description)
    route.isPrefix = settings.method.isPrefix
    route.upstream = upstreams.firstIndex { $0.values.name == settings.upstream } ?? 0
    route.key = settings.key
    route.keyPrefix = Array((settings.keyPrefix?.description ?? "").utf8)
    route.requiresKey = settings.requiresKey
    route.policy = settings.policy
    route.allowedPolicies = settings.allowedPolicies
    route.join = settings.join
    route.timeoutMilliseconds = settings.timeoutMilliseconds.map { UInt32($0) }
    route.drainMilliseconds = settings.drainMilliseconds.map { UInt32($0) }
    route.debounceMilliseconds = settings.debounceMilliseconds.map { UInt32($0) }
    route.maxWaitMilliseconds = settings.maxWaitMilliseconds.map { UInt32($0) }
    route.maxStaleMilliseconds = settings.maxStaleMilliseconds.map { UInt32($0) }
    route.longestTimeoutMilliseconds = settings.longestTimeoutMilliseconds.map { UInt32($0) }
    route.longestDrainMilliseconds = settings.longestDrainMilliseconds.map { UInt32($0) }
    route.longestDebounceMilliseconds = settings.longestDebounceMilliseconds.map { UInt32($0) }
    route.longestMaxWaitMilliseconds = settings.longestMaxWaitMilliseconds.map { UInt32($0) }
    route.longestMaxStaleMilliseconds = settings.longestMaxStaleMilliseconds.map { UInt32($0) }
    route.priority = settings.priority
    route.cancel = settings.cancel
    return route
  }
}
