import TaskStore

/// What is allowed, and hardly meant.
extension FileConfiguration {
  /// Each with its place, in the order of the file.
  package var warnings: [Complaint] { routes.compactMap(uselessPolicy) }

  /// A route's policy is for keys, and it gives none.
  private func uselessPolicy(of route: Section<RouteSettings>) -> Complaint? {
    guard route.key == nil, !route.requiresKey, route.values.policy != .concurrent else { return nil }
    guard let name = ["policy", "join", "debounceMs", "maxStaleMs"].first(where: route.isGiven) else {
      return nil
    }
    return Complaint(
      warningAt: route.origin(of: name),
      "'\(name)' is for requests with a key, and this route has no 'key': those without one supersede nothing; "
        + "if all bring their own, say 'requireKey = true'")
  }
}
