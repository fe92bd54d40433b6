import GatewayCore
import JSONRPC

/// The principals on the live page: the largest users at the moment.
enum TopTalkers {
  static let limit = 8

  /// Principals with the most tasks first; of equals those with the most requests so far, then the first that came.
  static func among(_ principals: [PrincipalView]) -> [PrincipalView] {
    var top: [PrincipalView] = []
    for principal in principals {
      let place = top.firstIndex { takesMore(principal, than: $0) } ?? top.endIndex
      guard place < limit else { continue }
      top.insert(principal, at: place)
      if top.count > limit { top.removeLast() }
    }
    return top
  }

  private static func takesMore(_ one: PrincipalView, than other: PrincipalView) -> Bool {
    (one.tasks, one.tally.requests) > (other.tasks, other.tally.requests)
  }

  /// Adds the principals; nothing, if there are none.
  static func add(_ principals: [PrincipalView], to json: inout JSONBuilder) {
    guard !principals.isEmpty else { return }
    json.array("principals", among(principals)) { json, principal in
      json.member("name", principal.name)
      json.member("connections", principal.connections)
      json.member("tasks", principal.tasks)
      json.members(principal.tally)
    }
  }
}
