import GatewayCore
import TaskStore

/// One pane of the playground, with a key of its own: it tries a policy alone, or with options of a route.
struct PlaygroundPane {
  /// The pane's name, and its key.
  let name: String
  let policy: DuplicatePolicy
  /// The route with further options; nil: there are none.
  let route: Route?

  static let all: [PlaygroundPane] =
    DuplicatePolicy.allCases.map { PlaygroundPane(name: $0.name, policy: $0, route: nil) }
    + [
      adding("maxRunning", to: .wait) { $0.maxRunning = 2 },
      adding("follow", to: .cancel) { $0.superseded = .follow },
    ]

  /// The method of this pane's requests.
  var method: String { route?.method ?? "work" }

  private static func adding(
    _ name: String, to policy: DuplicatePolicy, _ setting: (inout Route) -> Void
  ) -> PlaygroundPane {
    var route = Route(method: "work/\(name)")
    setting(&route)
    return PlaygroundPane(name: name, policy: policy, route: route)
  }
}
