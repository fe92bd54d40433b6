package import GatewayCore
import TaskStore

/// What all loops show together.
extension GatewayLoops {
  /// Everything that is counted and measured, at this moment.
  package var metrics: GatewayMetrics {
    let all = look { $0.metrics }
    return all.dropFirst().reduce(all.first ?? GatewayMetrics()) { $0 + $1 }
  }

  /// The lanes with the most tasks, the fullest first.
  package func fullestLanes(limit: Int, taskLimit: Int) -> [LaneView] {
    let all = look { $0.fullestLanes(limit: limit, taskLimit: taskLimit) }
    guard all.count > 1 else { return all.first ?? [] }
    let sorted = all.joined().enumerated().sorted {
      ($1.element.counts.sum, $0.offset) < ($0.element.counts.sum, $1.offset)
    }
    return Array(sorted.prefix(limit).map(\.element))
  }

  /// Keys with a task.
  package var laneCount: Int { look { $0.laneCount }.reduce(0, +) }

  package var principals: [PrincipalView] {
    PrincipalView.merged(look { $0.principals }.flatMap { $0 })
  }

  /// Those with the most tasks. Looks at every connection.
  package func connections(of principal: String?, limit: Int) -> [ConnectionView] {
    if count == 1 { return look { $0.connections(of: principal, limit: limit) }.first ?? [] }
    let all = look { $0.connectionViews }.flatMap { $0 }.filter {
      principal == nil || $0.principal == principal
    }
    var mirrors: [UInt64: [ConnectionView]] = [:]
    for view in all where view.isMirror { mirrors[view.number, default: []].append(view) }
    let clients = all.filter { !$0.isMirror }
    return clients.map { (mirrors[$0.number] ?? []).reduce($0) { $0.with($1) } }.first(limit)
  }

  /// Ends all connections of a principal, and takes back what they asked. Returns how many that were.
  package func evict(principal name: String) -> Int { ask { $0.evict(principal: name) }.reduce(0, +) }
  /// The same of one connection.
  package func evict(connection number: UInt64) -> Int {
    ask { $0.evict(connection: number) }.reduce(0, +)
  }

  /// By its place in the options, each upstream that clients share and that some loop cannot send requests to.
  package var unconnectedUpstreams: [Int] { Set(look { $0.unconnectedUpstreams }.joined()).sorted() }

  package var unconnectedUpstreamNames: [String] {
    var names: [String] = []
    for name in look({ $0.unconnectedUpstreamNames }).joined() where !names.contains(name) {
      names.append(name)
    }
    return names
  }
}
