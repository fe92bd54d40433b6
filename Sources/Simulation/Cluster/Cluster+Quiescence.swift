import GatewayCore

/// Faults stop, in every member and between them, and everything must come to its end.
extension Cluster {
  /// The longest timeout and the longest grace, an orphan's life, and some to connect again.
  private static let mostMilliseconds = 200_000

  /// What is still wrong when everything should be over, if anything.
  mutating func settle() -> String? {
    if hasPeers, let complaint = endFaults() { return complaint }
    for member in members where member.world.turnIsOpen { member.world.endTurn() }
    let end = nowMilliseconds + Self.mostMilliseconds
    if let complaint = run(until: end, { $0.isAnswered }) { return complaint }
    for index in members.indices {
      if let complaint = told(of: index, members[index].world.expectAllHeard()) { return complaint }
    }
    for index in members.indices {
      for action in members[index].world.departures {
        if let complaint = apply(Step(action, at: index)) { return complaint }
      }
    }
    if let complaint = run(until: end + Self.mostMilliseconds, { $0.isEmpty }) { return complaint }
    if members.contains(where: { $0.world.core.orderCount > 0 }) {
      let wait = Action.pass(milliseconds: World.mostOrderMilliseconds)
      if let complaint = apply(Step(wait)) { return complaint }
      let end = nowMilliseconds + World.mostOrderMilliseconds
      if let complaint = run(until: end, { $0.core.orderCount == 0 }) { return complaint }
    }
    for index in members.indices {
      if let complaint = told(of: index, members[index].world.expectNothingLeft()) { return complaint }
    }
    if hasPeers { frames.expectNothingOnTheWay() }
    return frames.complaint
  }

  /// Every member runs, and everybody has a link to everybody and says something over it.
  private mutating func endFaults() -> String? {
    for member in members.indices {
      for action in [MemberAction.resume, .start] {
        if let complaint = apply(Step(.member(action), at: member)) { return complaint }
      }
    }
    return hearFrames() ?? probeEverywhere()
  }

  private mutating func probeEverywhere() -> String? {
    for opener in members.indices {
      for listener in members.indices where listener != opener {
        let link = MemberAction.open(link: frames.nextLink, to: listener, delayMilliseconds: 1)
        if let complaint = apply(Step(.member(link), at: opener)) { return complaint }
      }
    }
    for link in network.links.filter({ !$0.isCut }) {
      for member in [link.opener, link.listener] {
        let probe = MemberAction.probe(link: link.number, bytes: 1)
        if let complaint = apply(Step(.member(probe), at: member)) { return complaint }
      }
    }
    return nil
  }

  private mutating func run(until end: Int, _ isOver: (borrowing World) -> Bool) -> String? {
    for _ in 0..<World.mostRounds {
      for index in members.indices {
        if let complaint = told(of: index, members[index].world.round()) { return complaint }
      }
      if hasPeers, let complaint = hearFrames() { return complaint }
      if members.allSatisfy({ isOver($0.world) }), network.isQuiet { return nil }
      guard nowMilliseconds < end, hasMoreToCome else { break }
      if let complaint = apply(Step(.passToNextTimer)) { return complaint }
    }
    let index = members.firstIndex { !isOver($0.world) } ?? 0
    return told(of: index, Oracle.notOver(members[index].world.leftText))
  }

  private var hasMoreToCome: Bool {
    !network.isQuiet || members.contains { $0.world.core.nextDueMilliseconds != nil }
  }

  /// Whatever can arrive now does.
  private mutating func hearFrames() -> String? {
    for member in members.indices {
      while let link = network.nextArrival(at: member, at: nowMilliseconds) {
        let arrival = MemberAction.receive(link: link, events: PeerLink.mostIncoming)
        if let complaint = apply(Step(.member(arrival), at: member)) { return complaint }
      }
    }
    return nil
  }
}
