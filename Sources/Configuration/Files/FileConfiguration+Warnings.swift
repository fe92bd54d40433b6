import GatewayCore
import TaskStore

/// What is allowed, and hardly meant.
extension FileConfiguration {
  /// Each with its place: of the bounds, of the routes in the order of the file, and of what is open.
  package var warnings: [Complaint] {
    unkeptMessages + routes.compactMap(uselessPolicy) + openSockets + openPages + openLinks
  }

  /// A quarter of the memory is for what requests ask: one that is longer would be refused each time.
  private var unkeptMessages: [Complaint] {
    let (message, memory) = (bounds.core.messageLimitBytes, bounds.core.memoryBytes)
    let room = memory / GatewayConfiguration.requestPart
    guard bounds.isGiven("memoryBytes"), memory > 0, message > room else { return [] }
    return [
      Complaint(
        warningAt: bounds.origin(of: bounds.isGiven("messageBytes") ? "messageBytes" : "memoryBytes"),
        "'messageBytes' (\(message)) is more than a quarter of 'memoryBytes' (\(room)), which is all that requests "
          + "may ask: longer ones are always refused with -32082")
    ]
  }

  /// A route's policy is for keys, and it gives none.
  private func uselessPolicy(of route: Section<RouteSettings>) -> Complaint? {
    guard route.key == nil, !route.requiresKey, route.values.policy != .concurrent else { return nil }
    guard
      let name = [
        "policy", "maxRunning", "join", "superseded", "debounceMs", "maxStaleMs",
      ].first(where: route.isGiven)
    else {
      return nil
    }
    return Complaint(
      warningAt: route.origin(of: name),
      "'\(name)' is for requests with a key, and this route has no 'key': those without one supersede nothing; "
        + "if all bring their own, say 'requireKey = true'")
  }
}
