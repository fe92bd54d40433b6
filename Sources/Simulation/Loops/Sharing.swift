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

  /// Whether the answer to what arrived at upstream at this place may go to who asked for what arrived there at the
  /// other; nil: it did not arrive.
  func mayPass(arrivedAt arrival: Int, toArrivedAt caller: Int?) -> Bool {
    guard let caller else { return true }
    return switch self {
    case .joins: false
    // Who follows goes on to what is newer at upstream, too.
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
