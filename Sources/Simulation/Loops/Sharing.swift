import GatewayCore
import TaskStore

/// How a request gets another's answer.
enum Sharing: CaseIterable {
  /// Of what is under way for its key.
  case joins
  /// Of what takes its place.
  case follows

  /// All of these have one key, and one method.
  var key: String { self == .joins ? "joined" : "followed" }
  var method: String { self == .joins ? "j" : "f" }

  var policies: [String] {
    self == .joins ? ["preferPrevious"] : ["cancel", "cancelAndWait", "keepLatest"]
  }

  static var routes: [Route] {
    allCases.map { sharing in
      var route = Route(method: sharing.method)
      if sharing == .joins { route.join = .always } else { route.superseded = .follow }
      return route
    }
  }
}
