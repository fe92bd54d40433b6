import Fleet
import GatewayCore

/// One seed's history of a fleet: who owns which partition, while members stop, die, come and leave, and the engine
/// answers late, not at all, or after nobody waits for it.
///
/// A member acts whenever it thinks that it may. Nobody may act for a partition under an epoch once somebody has acted
/// under a higher one; and when all faults have stopped each partition has the owner that it is to have.
package struct FleetRun {
  package let seed: UInt64
  /// What is wrong, if anything.
  package let complaint: String?
  /// What happened, in order, if something is wrong.
  package let story: [String]
  package let actCount: Int

  package init(seed: UInt64, steps: Int) {
    self.seed = seed
    var scene = FleetScene(seed: seed)
    for _ in 0..<steps where scene.complaint == nil { scene.step() }
    if scene.complaint == nil { scene.finish() }
    complaint = scene.complaint
    story = scene.complaint == nil ? [] : scene.story
    actCount = scene.actCount
  }
}
