import Fleet
import GatewayCore

/// One seed's history of a fleet: who owns which partition, while members stop, die, come and leave, and the engine
/// answers late, not at all, or after nobody waits for it.
///
/// A member acts whenever it thinks that it may. Nobody may act for a partition under an epoch once somebody has acted
/// under a higher one; and when all faults have stopped each partition has the owner that it is to have. Clients of all
/// members ask for the same keys meanwhile, with the cores that the gateway has, and links between them that are late and
/// break: `FleetScene+Requests` says what must hold for them.
package struct FleetRun {
  /// What the histories would not be worth much if they did not notice.
  package enum Control: Sendable {
    /// A member does and says things without a permit.
    case withoutPermit
    /// What an owner has said is heard whenever it comes.
    case withoutLease
    /// The upstream takes what its fence says comes too late.
    case withoutFence
  }

  package let seed: UInt64
  /// What is wrong, if anything.
  package let complaint: String?
  /// What happened, in order, if something is wrong.
  package let story: [String]
  package let actCount: Int
  /// Requests that came to the upstream; those among them that another member than their client's forwarded; results
  /// and pieces that clients got.
  package let servedCount: Int
  package let forwardedCount: Int
  package let deliveredCount: Int
  package let pieceCount: Int
  /// Clients that got the result of a request that they joined, or that they followed.
  package let joinedCount: Int
  package let followedCount: Int
  /// Requests that the upstream refused by their fences.
  package let fencedCount: Int
  /// Requests that the upstream was asked to undo, and requests that came to it in exchanges.
  package let undoneCount: Int
  package let exchangeCount: Int
  package let faults: FleetFaultCounts

  package init(seed: UInt64, steps: Int, _ control: Control? = nil) {
    self.seed = seed
    var scene = FleetScene(seed: seed, control)
    for _ in 0..<steps where scene.complaint == nil { scene.step() }
    if scene.complaint == nil { scene.finish() }
    complaint = scene.complaint
    story = scene.complaint == nil ? [] : scene.story
    actCount = scene.actCount
    servedCount = scene.servedCount
    forwardedCount = scene.forwardedCount
    deliveredCount = scene.deliveredCount
    pieceCount = scene.pieceCount
    joinedCount = scene.sharedAnswers.joinedCount
    followedCount = scene.sharedAnswers.followedCount
    fencedCount = scene.fencedCount
    undoneCount = scene.undoneCount
    exchangeCount = scene.exchangeCount
    faults = scene.faults
  }
}
