import GatewayCore
import HotData

/// One seed's history of a process with several loops: clients at each of them ask for the same keys, what the loops have
/// to tell each other comes late, and everything must be as if there were one.
///
/// `SeedRun` has the gateway's core with all its faults; this has what is between cores.
package struct LoopsRun {
  package let seed: UInt64
  /// What is wrong, if anything.
  package private(set) var complaint: String?
  /// What happened, in order.
  package private(set) var story: [String] = []
  /// How many requests went to another loop than their client's.
  package private(set) var forwardedCount = 0
  /// So many pieces of answers clients heard.
  package private(set) var pieceCount = 0
  /// So many requests shared another's result.
  package private(set) var joinedCount = 0
  /// So many went on to the result of what took their place.
  package private(set) var followedCount = 0
  /// In how many turns of loops a client's answers waited for others.
  package private(set) var heldBackCount = 0

  package init(seed: UInt64, steps: Int) {
    self.seed = seed
    let scene = LoopsScene(seed: seed)
    for _ in 0..<steps {
      scene.step()
      if scene.complaint != nil { break }
    }
    if scene.complaint == nil { scene.finish() }
    complaint = scene.complaint
    forwardedCount = scene.forwardedCount
    joinedCount = scene.sharedAnswers.joinedCount
    followedCount = scene.sharedAnswers.followedCount
    heldBackCount = scene.heldBackCount
    pieceCount = scene.asked.reduce(0) { $0 + $1.pieces.heardCount }
    if complaint != nil { story = scene.story }
  }
}
