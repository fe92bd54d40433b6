import Fleet
import GatewayCore

/// What a member knows of its fleet at one moment.
package struct FleetStatus: Sendable {
  package struct Member: Sendable {
    package let id: String
    package let address: String
    /// It gives its partitions away, and wants no others.
    package let isLeaving: Bool
    /// It is this one.
    package let isSelf: Bool
    package let partitions: Int
  }

  package init() {}

  package var fleet = ""
  /// As `member`, or `joining`.
  package var standing = ""
  /// It may act for its partitions for so long, if nothing else is acknowledged; 0: it stands still.
  package var actsMilliseconds: Int64 = 0
  package var members: [Member] = []
  package var partitions = 0
  /// Partitions that no member has.
  package var unownedPartitions = 0
  package var highestEpoch: UInt32 = 0
  /// Connections to other members' partitions: how many there should be, and how many stand.
  package var links = 0
  package var linksUp = 0
  /// Other members' loops that ask this one.
  package var askingLoops = 0
  /// Of these, from members that had another configuration when they came.
  package var differingLoops = 0
  /// Requests that were passed on to other members, since the start.
  package var forwardedRequests: UInt64 = 0
  /// Requests that wait for an owner of their partition, or until that can be reached.
  package var parkedRequests = 0
  package var parkedBytes = 0
  /// How often this process has been declared dead.
  package var declaredDead = 0

  /// It has been ready once: what is wrong with others since says nothing against this one.
  package var hasBeenReady = false

  /// Why no requests should be sent to this member; nil: they should.
  package var reason: String? {
    if standing != "member" { return "the fleet: \(standing)" }
    if hasBeenReady {
      // Of two that do not reach each other nobody knows which is cut off.
      return linksUp == 0 && members.count > 2 ? "the fleet: no other member can be reached" : nil
    }
    if unownedPartitions > 0 {
      return "the fleet: nobody has \(unownedPartitions) of \(partitions) partitions"
    }
    if linksUp < links {
      return "the fleet: \(links - linksUp) of \(links) connections to other members are missing"
    }
    return nil
  }
}

extension FleetMember {
  /// What this loop knows of it.
  var status: FleetStatus {
    var status = FleetStatus()
    status.fleet = options.name
    status.standing = membership.standing.text
    status.actsMilliseconds = max(0, gate.until - min(gate.until, BootClock.nowMilliseconds))
    status.partitions = view.partitions.count
    status.declaredDead = declaredDeadCount
    status.hasBeenReady = hasBeenReady
    var counts: [MemberID: Int] = [:]
    for record in view.partitions {
      guard let record else { continue }
      counts[record.owner, default: 0] += 1
      status.highestEpoch = max(status.highestEpoch, record.epoch)
    }
    status.members = view.members.map { member in
      FleetStatus.Member(
        id: member.id.text, address: member.record.address, isLeaving: member.record.isLeaving,
        isSelf: member.id == membership.id, partitions: counts[member.id] ?? 0)
    }
    status.unownedPartitions = status.partitions - status.members.reduce(0) { $0 + $1.partitions }
    return status
  }
}

extension GatewayLoops {
  /// Whether it is a member of one.
  package var isMember: Bool { member != nil }

  /// What this process knows of its fleet; nil: it is by itself.
  package var fleetStatus: FleetStatus? {
    guard let member else { return nil }
    var status = member.status
    for part in look({ $0.fleetPart }) {
      status.links += part.links
      status.linksUp += part.linksUp
      status.askingLoops += part.askingLoops
      status.differingLoops += part.differingLoops
      status.forwardedRequests += part.forwardedRequests
      status.parkedRequests += part.parkedRequests
      status.parkedBytes += part.parkedBytes
    }
    if status.reason == nil { member.hasBeenReady = true }
    return status
  }

  /// The outcome of a request to drain a member.
  package enum DrainAnswer: Sendable {
    case begun
    case noFleet, unknown, ambiguous
    /// It has none: it is no member, or has given all away.
    case hasNone
    /// No other member could have its partitions.
    case isLast
    /// It is another, and not connected to this one.
    case unreachable
  }

  /// A member gives its partitions away, and has none from then on; its clients are served by others'.
  /// - Parameter name: the beginning of its id, or its address; nil: it is this one.
  package func drainMember(_ name: String?) -> DrainAnswer {
    guard let member else { return .noFleet }
    let own = member.membership.id
    var id = own
    if let name {
      let found = member.view.members.filter { $0.isCalled(name) }
      guard let only = found.first?.id else { return .unknown }
      guard found.count == 1 else { return .ambiguous }
      id = only
    }
    if id == own, ![.member, .leaving].contains(member.membership.standing) { return .hasNone }
    guard member.view.members.contains(where: { $0.id != id && !$0.record.isLeaving }) else { return .isLast }
    guard id != own else {
      member.drain()
      return .begun
    }
    return ask { [id] in $0.asking?.drain(id) ?? false }.contains(true) ? .begun : .unreachable
  }
}

extension FleetView.Member {
  fileprivate func isCalled(_ name: String) -> Bool {
    record.address == name || !name.isEmpty && id.text.hasPrefix(name)
  }
}

extension GatewayServer {
  fileprivate var fleetPart: FleetStatus {
    var part = FleetStatus()
    if let asking {
      (part.links, part.linksUp) = (asking.knownCount, asking.linkedCount)
      part.forwardedRequests = asking.forwardedRequestCount
      (part.parkedRequests, part.parkedBytes) = (core.parkedRequestCount, core.parkedByteCount)
    }
    (part.askingLoops, part.differingLoops) = (owning?.linkedCount ?? 0, owning?.differingCount ?? 0)
    return part
  }
}

extension Membership.Standing {
  fileprivate var text: String {
    switch self {
    case .joining: "joining"
    case .member: "member"
    case .leaving: "leaving"
    case .removed: "declared dead"
    case .left: "left"
    case .halted: "halted"
    }
  }
}
