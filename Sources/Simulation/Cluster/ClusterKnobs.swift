import GatewayCore
import HotData

/// How the members of a seed's cluster are treated: how far they are from each other, and whether they stop and die.
package struct ClusterKnobs {
  package static let mostMembers = 4
  private static let oneInClusters: Int = 10

  private(set) var delays: [Int]
  private(set) var pauses: [Int]
  /// Each kind as often as it is likely.
  private(set) var kinds: [Action.Kind] = []
  private(set) var frameBytes: [Int]
  /// One step in so many is one between members.
  private(set) var oneInBetween: Int
  private(set) var oneInStays: Int

  /// How many members a seed makes up: mostly one.
  package static func memberCount(seed: UInt64) -> Int {
    var random = random(seed: seed)
    return random.oneIn(oneInClusters) ? 2 + random.below(mostMembers - 1) : 1
  }

  /// Apart from that of which the members' own histories are made up.
  static func random(seed: UInt64) -> SplitMix64 { SplitMix64(seed: seed ^ 0x6d65_6d62_6572_7321) }

  init(using random: inout SplitMix64) {
    delays = random.pick([[0], [0, 1, 5], [1, 50], [0, 2_000]])
    pauses = random.pick([[1, 10], [100, 3_000], [20, 61_000]])
    frameBytes = random.pick([[0, 1], [10, 300], [70_000, 1]])
    oneInBetween = random.pick([2, 5, 20])
    oneInStays = random.pick([2, 10])
    kinds = [.openLink, .openLink, .probe, .probe, .probe, .receiveFrames, .receiveFrames, .delayLink]
    for kind in [Action.Kind.cutLink, .stopMember, .killMember] where !random.oneIn(3) { kinds.append(kind) }
  }
}
