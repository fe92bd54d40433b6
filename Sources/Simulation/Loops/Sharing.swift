import GatewayCore
import TaskStore

/// How a request gets another's answer.
enum Sharing: CaseIterable {
  /// The answer of a task that is under way for its key.
  case joins
  /// The answer of the task that supersedes its own.
  case follows

  /// All of these have one key, and one method.
  var key: String { self == .joins ? "joined" : "followed" }
  var method: String { self == .joins ? "j" : "f" }

  var policies: [String] {
    self == .joins ? ["preferPrevious"] : ["cancel", "cancelAndWait", "keepLatest"]
  }

  /// Whether the answer to one arrival at upstream may go to the caller of another arrival; nil: that caller's request
  /// never arrived.
  func mayPass(arrivedAt arrival: Int, toArrivedAt caller: Int?) -> Bool {
    guard let caller else { return true }
    return switch self {
    case .joins: false
    // A caller that follows goes on to the newer task at upstream, too.
    case .follows: caller < arrival
    }
  }

  static var routes: [Route] {
    allCases.map { sharing in
      var route = Route(method: sharing.method)
      if sharing == .joins { route.join = .always } else { route.superseded = .follow }
      return route
    }
  }
}

/// How many requests got another's answer.
struct SharedAnswers {
  private(set) var joinedCount = 0
  private(set) var followedCount = 0

  mutating func note(_ sharing: Sharing?) {
    switch sharing {
    case .joins: joinedCount += 1
    case .follows: followedCount += 1
    case nil: break
    }
  }
}
