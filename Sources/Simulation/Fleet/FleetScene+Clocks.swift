import Fleet
import GatewayCore

/// Clocks that differ in their rates, in some histories.
extension FleetScene {
  mutating func drawClocks() -> SimulatedClocks {
    let offset = Int64(random.below(1_000_000_000))
    guard clocksDiffer else { return SimulatedClocks(bootOffset: offset, loopOffset: 0, partsPerMillion: 0) }
    let most = SimulatedClocks.mostPartsPerMillion
    return SimulatedClocks(
      bootOffset: offset, loopOffset: Int64(paced.below(1_000_000_000)),
      partsPerMillion: Int64(paced.below(2 * Int(most))) - most)
  }

  func clock(of member: Int) -> Int64 { members[member].clocks.bootTime(at: now) }
  func loopTime(of member: Int) -> UInt64 { members[member].clocks.loopTime(at: now) }

  /// So much of the scene's time passes at least, and at most, while so much passes by a member's clock.
  func least(_ milliseconds: Int64) -> Int64 {
    let parts = clocksDiffer ? SimulatedClocks.mostPartsPerMillion : 0
    return milliseconds * 1_000_000 / (1_000_000 + parts)
  }
  func most(_ milliseconds: Int64, of member: Int) -> Int64 {
    milliseconds * 1_000_000 / (1_000_000 + members[member].clocks.partsPerMillion)
  }

  /// As if a member's partitions had been asked for much more.
  mutating func spend(_ member: Int) {
    guard members[member].state == .running else { return }
    let count = UInt64(1) << spent.pick([31, 32])
    tell("member \(member) has counted \(count) generations more")
    members[member].owner.core.skipGenerations(count)
    members[member].spent.merge(members[member].owned) { $1 }
  }

  mutating func renewSpent(of member: Int) {
    for partition in members[member].owner.core.takeSpent() {
      tell("member \(member) is to have partition \(partition) anew")
      faults.count(.generationsAreSpent)
      members[member].membership.renew(partition)
    }
  }
}
