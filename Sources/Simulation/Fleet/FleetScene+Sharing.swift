/// Requests that get another's answer, wherever their key is.
extension FleetScene {
  mutating func drawSharing() -> Sharing? { shared.oneIn(6) ? shared.pick(Sharing.allCases) : nil }

  /// Whether a caller may get this request's answer: it is its own, or that of one that it joined or followed.
  func mayShare(_ number: Int, _ source: Int) -> Bool {
    guard source != number else { return true }
    guard asked.indices.contains(source), let sharing = asked[number].sharing else { return false }
    guard asked[source].sharing == sharing, let arrival = asked[source].arrival else { return false }
    return sharing.mayPass(arrivedAt: arrival, toArrivedAt: asked[number].arrival)
  }
}
