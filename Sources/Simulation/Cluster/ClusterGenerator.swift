import GatewayCore
import HotData

/// Makes a seed's history of a whole cluster up as it goes: each member has one of its own, and a network is between.
///
/// The history of a cluster of one is that of its member.
struct ClusterGenerator {
  /// Those of all members are the same.
  var knobs: Knobs { generators[0].knobs }

  private var generators: [Generator]
  private let clusterKnobs: ClusterKnobs
  private var random: SplitMix64
  private var member = 0

  /// - Parameter steps: how long the history is to be, of all members together.
  init(seed: UInt64, members: Int, steps: Int) {
    random = ClusterKnobs.random(seed: seed)
    clusterKnobs = ClusterKnobs(using: &random)
    let first = Generator(seed: seed, steps: steps / max(1, members))
    generators = [first]
    for _ in 1..<max(1, members) { generators.append(Generator(first, seed: random.next())) }
  }

  mutating func next(_ cluster: borrowing Cluster) -> Step {
    guard cluster.hasPeers else { return generators[0].next(cluster.members[0].world) }
    if random.oneIn(clusterKnobs.oneInStays) { member = random.below(cluster.members.count) }
    if cluster.members[member].state != .isRunning { return Step(actionOfStopped(cluster), at: member) }
    if random.oneIn(clusterKnobs.oneInBetween), let action = action(cluster) {
      return Step(.member(action), at: member)
    }
    var step = generators[member].next(cluster.members[member].world)
    step.member = member
    return step
  }

  private mutating func actionOfStopped(_ cluster: borrowing Cluster) -> Action {
    if random.oneIn(3) { return .pass(milliseconds: random.pick(clusterKnobs.pauses)) }
    if cluster.members[member].state == .isDown { return .member(.start) }
    if random.oneIn(3) { return .member(random.oneIn(4) ? .kill(arriving: arriving()) : .resume) }
    return generators[member].next(cluster.members[member].world).action
  }

  private mutating func action(_ cluster: borrowing Cluster) -> MemberAction? {
    let own = cluster.network.links.filter { $0.knowledge(of: member) != .isGone }
    switch random.pick(clusterKnobs.kinds) {
    case .stopMember: return random.oneIn(4) ? .stop : nil
    case .killMember: return random.oneIn(8) ? .kill(arriving: arriving()) : nil
    case .openLink: return open(cluster)
    case .probe where !own.isEmpty:
      return .probe(link: random.pick(own).number, bytes: random.pick(clusterKnobs.frameBytes))
    case .cutLink where !own.isEmpty: return .cut(link: random.pick(own).number, arriving: arriving())
    case .delayLink where !own.isEmpty:
      return .delay(link: random.pick(own).number, milliseconds: random.pick(clusterKnobs.delays))
    case .receiveFrames where !own.isEmpty:
      return .receive(link: random.pick(own).number, events: random.pick([1, 2, PeerLink.mostIncoming]))
    default: return nil
    }
  }

  private mutating func open(_ cluster: borrowing Cluster) -> MemberAction? {
    let other = random.below(cluster.members.count)
    guard other != member, !cluster.network.hasLink(from: member, to: other) else { return nil }
    return .open(
      link: cluster.frames.nextLink, to: other, delayMilliseconds: random.pick(clusterKnobs.delays))
  }

  private mutating func arriving() -> Int { random.pick([0, 0, 1, PeerLink.mostIncoming]) }
}
