package import GatewayCore
import LibUV
import Logging

extension GatewayServer {
  /// Of so many events of a turn the log hears.
  static let loggedEvents = 4_096

  /// Measures how long turns take from now on; `metrics` shows it.
  package func measureLag() {
    turn.watching.measuresLag = true
    loop.measureTurns()
  }

  /// Tells at the end of each turn what happened to tasks in it, or nobody any more.
  /// - Parameter onEvents: returns how many events it takes at the end of the next turn.
  package func watch(_ onEvents: ((borrowing TaskJournal) -> Int)?) {
    turn.watching.onEvents = onEvents
    hear(ofEvents: 0)
  }

  /// The watcher takes so many events at the end of this turn.
  package func hear(ofEvents limitEvents: Int) {
    turn.watching.logsTasks = log.logLevel <= .debug
    let limit = turn.watching.logsTasks ? max(limitEvents, Self.loggedEvents) : limitEvents
    core.watch(limitEvents: turn.watching.hearsOfTasks ? limit : nil)
    turn.isLookedAt = turn.watching.hearsOfTasks || links != nil
  }

  /// Notes how those came whose requests were noted.
  func nameOrigins() {
    let connections = connections
    core.nameOrigins { $0.way = connections.way(of: $0.client) }
  }

  func tellWatchers() {
    let (logsTasks, onEvents) = (turn.watching.logsTasks, turn.watching.onEvents)
    var taken = 0
    core.takeJournal { journal in
      if logsTasks { log(journal) }
      taken = onEvents?(journal) ?? 0
    }
    hear(ofEvents: taken)
  }

  /// Everything that is counted and measured, at this moment.
  package var metrics: GatewayMetrics {
    var metrics = GatewayMetrics()
    metrics.counters = core.counters
    // What it wrote to other loops these have written to clients, or will.
    metrics.counters.bytesToClients &-= links?.answeredByteCount ?? 0
    metrics.logInFaults = core.logInFaults
    metrics.times = core.times
    metrics.gauges = core.gauges
    metrics.upstreams = Array(zip(options.upstreams.map(\.name), core.upstreamGauges))
    metrics.principals = core.principalViews
    metrics.principalTally = core.principalTally
    metrics.orphansSoFar = core.orphansSoFar
    metrics.loopLag = turn.watching.lag
    metrics.isDraining = core.isDraining
    metrics.droppedLogLines = UInt64(droppedLogLineCount)
    metrics.droppedAuditLines = UInt64(audit?.droppedLineCount ?? 0)
    return metrics
  }

  package func fullestLanes(limit: Int, taskLimit: Int) -> [LaneView] {
    core.fullestLanes(limit: limit, taskLimit: taskLimit)
  }

  // MARK: Clients

  package var principals: [PrincipalView] { core.principalViews }

  /// Those with the most tasks. Looks at every connection.
  package func connections(of principal: String?, limit: Int) -> [ConnectionView] {
    core.connectionViews(of: principal, limit: limit).map { located($0) }
  }

  /// All of this loop, mirrors of others' included.
  var connectionViews: [ConnectionView] { core.connectionViews.map { located($0) } }

  private func located(_ view: ConnectionView) -> ConnectionView {
    var view = view
    view.address = connections.address(of: view.client)
    view.way = connections.way(of: view.client)
    return view
  }

  /// Ends all connections of a principal, and takes back what they asked. Returns how many that were.
  package func evict(principal name: String) -> Int {
    now()
    return core.evict(principal: name)
  }

  /// The same of one connection.
  package func evict(connection number: UInt64) -> Int {
    now()
    return core.evict(connection: number)
  }

  /// Keys with a task.
  package var laneCount: Int { core.keyCount }
}
