/// Requests that get another's answer, at whichever loop they were asked.
extension LoopsScene {
  /// Each policy has a key of its own for requests that follow.
  func share(_ sharing: Sharing) -> (policy: String, key: String) {
    let policy = following.pick(sharing.policies)
    return (policy, sharing == .joins ? sharing.key : "\(sharing.key)-\(policy)")
  }

  /// Whether a caller may get this request's answer: it is its own, or that of one that it joined or followed.
  func mayShare(_ number: Int, _ source: Int) -> Bool {
    guard source != number else { return true }
    guard asked.indices.contains(source), let sharing = asked[number].sharing else { return false }
    let (caller, shared) = (asked[number], asked[source])
    guard shared.sharing == sharing, shared.key == caller.key, let arrival = shared.arrival,
      shared.pieces.areTaken == caller.pieces.areTaken
    else { return false }
    return sharing.mayPass(arrivedAt: arrival, toArrivedAt: caller.arrival)
  }
}
