package import GatewayCore

/// Several gateways, each among clients and upstreams of its own, a network between them, and one clock for all.
///
/// Nothing in here is random: the same configuration and the same steps give the same log, byte for byte. A cluster of
/// one member is that member's world, and nothing else.
package struct Cluster: ~Copyable {
  private let configurations: [GatewayConfiguration]
  private let seed: UInt64
  private let watchLimitEvents: Int?

  private(set) var members: [Member] = []
  var network = PeerNetwork()
  var frames = PeerLinkOracle()
  private var clockMilliseconds = World.startMilliseconds
  var log = LogHash()
  /// What happened between members, and to members that are gone.
  var ownCoverage = Coverage()
  var toldBefore = TaskTally()
  private var startCount: UInt64 = 0

  /// - Parameters:
  ///   - members: how many, at least one.
  ///   - configurations: of all of them: the one they begin with, and those that their operators may load.
  ///   - watchLimitEvents: nil: nobody watches.
  package init(
    members: Int, _ configurations: [GatewayConfiguration], seed: UInt64, watchLimitEvents: Int? = nil
  ) {
    self.configurations = members > 1 ? configurations.map(Self.keepingEmptyTables) : configurations
    self.seed = seed
    self.watchLimitEvents = watchLimitEvents
    for _ in 0..<max(1, members) { self.members.append(Member(nextWorld())) }
  }

  /// An empty table has a slot, and there are two. A member that gave them back each millisecond would use up the rounds in
  /// which the others come to their end.
  private static func keepingEmptyTables(_ configuration: GatewayConfiguration) -> GatewayConfiguration {
    var configuration = configuration
    configuration.keptSlots = max(2, configuration.keptSlots)
    return configuration
  }

  mutating func nextWorld() -> World {
    startCount += 1
    return World(
      configurations, seed: seed &+ startCount - 1, nowMilliseconds: clockMilliseconds,
      watchLimitEvents: watchLimitEvents)
  }

  var hasPeers: Bool { members.count > 1 }
  var nowMilliseconds: Int { hasPeers ? clockMilliseconds : members[0].world.nowMilliseconds }
  func isRunning(_ member: Int) -> Bool { members[member].state == .isRunning }

  // MARK: Steps

  /// Carries a step out, unless it is impossible now; what is wrong with what came of it, if anything.
  package mutating func apply(_ step: Step) -> String? {
    guard hasPeers else { return members[0].world.apply(step) }
    guard members.indices.contains(step.member) else { return nil }
    let complaint = perform(step)
    return complaint ?? clockComplaint ?? frames.complaint
  }

  private mutating func perform(_ step: Step) -> String? {
    switch step.action {
    case .member(let action):
      if perform(action, at: step.member) { ownCoverage.count(step.action) }
      return nil
    case .pass(let milliseconds): return pass(milliseconds, step)
    case .passToNextTimer:
      guard let milliseconds = millisecondsToNextTimer() else { return nil }
      ownCoverage.count(step.action)
      return pass(milliseconds, step)
    default: return perform(step, at: step.member)
    }
  }

  func perform(_ step: Step, at member: Int) -> String? {
    switch members[member].state {
    case .isRunning: told(of: member, members[member].world.apply(step))
    case .isStopped: told(of: member, members[member].world.applyWhileStopped(step.action))
    case .isDown: nil
    }
  }

  /// A complaint, and where there are several members, of which of them.
  func told(of member: Int, _ complaint: String?) -> String? {
    hasPeers ? complaint.map { "member \(member): \($0)" } : complaint
  }

  // MARK: Time

  /// It is the same for all that run.
  private mutating func pass(_ milliseconds: Int, _ step: Step) -> String? {
    clockMilliseconds += milliseconds
    log.add(milliseconds)
    var passing = step
    passing.action = .pass(milliseconds: milliseconds)
    for member in members.indices where isRunning(member) {
      if let complaint = perform(passing, at: member) { return complaint }
    }
    return nil
  }

  /// Up to the next thing that is due anywhere.
  private func millisecondsToNextTimer() -> Int? {
    var next: Int?
    for member in members.indices where isRunning(member) {
      let arrival = network.nextDueMilliseconds(at: member).map { max(1, $0 - nowMilliseconds) }
      for milliseconds in [members[member].world.millisecondsToNextTimer(), arrival] {
        if let milliseconds { next = min(next ?? .max, milliseconds) }
      }
    }
    return next
  }

  private var clockComplaint: String? {
    let member = members.indices.first {
      isRunning($0) && members[$0].world.nowMilliseconds != nowMilliseconds
    }
    return member.map {
      "member \($0): it is \(members[$0].world.nowMilliseconds), not \(nowMilliseconds) ms"
    }
  }

  // MARK: Between members

  private mutating func perform(_ action: MemberAction, at member: Int) -> Bool {
    switch action {
    case .open(let link, let other, let delay): open(link, from: member, to: other, delayMilliseconds: delay)
    case .probe(let link, let bytes): probe(link, from: member, byteCount: bytes)
    case .receive(let link, let events): receive(events, over: link, at: member)
    case .cut(let link, let arriving): cut(link, arriving: arriving)
    case .delay(let link, let milliseconds): delay(link, milliseconds)
    case .stop: stop(member)
    case .resume: resume(member)
    case .kill(let arriving): kill(member, arriving: arriving)
    case .start: start(member)
    }
  }

  // MARK: What came of it

  package var logHash: UInt64 {
    guard hasPeers else { return members[0].world.logHash }
    var all = log
    for member in members { all.add(Int(truncatingIfNeeded: member.world.logHash)) }
    return all.value
  }

  package var coverage: Coverage {
    var all = ownCoverage
    for member in members { all.add(member.world.oracle.coverage) }
    return all
  }

  /// The events noted for watchers, and how many were left out.
  package var told: TaskTally {
    var all = toldBefore
    for member in members {
      if let chronicle = member.world.chronicle { all.add(chronicle.tally) }
    }
    return all
  }

  /// Of the members, as they are now.
  package var counters: [GatewayCounters] { members.map { $0.world.core.counters } }
  package var gauges: [GatewayGauges] { members.map { $0.world.core.gauges } }
}
