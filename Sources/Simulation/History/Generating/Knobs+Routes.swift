import GatewayCore
import HotData
import JSONRPC
import TaskStore

/// Routes, some of which overlap.
extension Knobs {
  /// - Parameter upstreams: how many there are to go to.
  static func routes(upstreams: Int, using random: inout SplitMix64) -> [Route] {
    var routes: [Route] = []
    func add(_ route: Route) { routes.insert(route, at: random.below(routes.count + 1)) }
    if !random.oneIn(3) {
      var route = Route(method: "\(Spelling.undoable)", compensation: "\(Spelling.undoing)")
      route.upstream = random.below(upstreams)
      if random.oneIn(4) { (route.policy, route.join) = (.preferPrevious, .always) }
      // It counts for nothing there.
      route.maxRunning = 3
      add(route)
    }
    // What is no prefix names no method here, and must not be taken for one.
    for method in ["d", "d", "d/", "m", "j", ""] where random.oneIn(2) {
      var route = route(method, using: &random)
      route.upstream = random.below(upstreams)
      route.isPrefix = !random.oneIn(8)
      add(route)
    }
    return routes
  }

  private static func route(_ method: String, using random: inout SplitMix64) -> Route {
    var route = Route(method: method)
    // What is drawn from it changes nothing else.
    var same = random
    var apart = SplitMix64(seed: same.next())
    if method.hasPrefix("d"), !random.oneIn(4) { route.key = random.pick(pointers) }
    if random.oneIn(3) { route.keyPrefix = Array(Spelling.keyPrefix.utf8) }
    route.requiresKey = random.oneIn(8)
    if random.oneIn(3) { route.priority = random.pick([0, 9, 4, 6]) }
    if random.oneIn(6) { route.cancel = random.pick(CancelDialect.allCases) }
    guard random.oneIn(2) else { return route }
    route.policy = random.pick(DuplicatePolicy.allCases + [nil, nil])
    if random.oneIn(4) { route.allowedPolicies = DuplicatePolicy.allCases.filter { _ in !random.oneIn(4) } }
    route.join = random.pick([nil, nil, .identical, .always, .always, .never])
    if route.join == .always && random.oneIn(2) { route.policy = .preferPrevious }
    route.timeoutMilliseconds = random.pick([nil, nil, 50, 3_000])
    route.drainMilliseconds = random.pick([nil, 200, 0, 200])
    route.debounceMilliseconds = random.pick([nil, nil, 30])
    route.maxWaitMilliseconds = random.pick([nil, 20, 200])
    route.maxStaleMilliseconds = random.pick([nil, nil, nil, 100])
    if apart.oneIn(3) { route.maxRunning = apart.pick([2, 2, 3, Admission.largestMaxRunning]) }
    if apart.oneIn(3) { route.superseded = .follow }
    if random.oneIn(4) { limit(&route, using: &random) }
    return route
  }

  /// A route's requests may ask for more, or for less, than others may.
  private static func limit(_ route: inout Route, using random: inout SplitMix64) {
    route.longestTimeoutMilliseconds = random.pick([nil, 50, 3_600_000])
    route.longestDrainMilliseconds = random.pick([nil, 10, 3_600_000])
    route.longestDebounceMilliseconds = random.pick([nil, 20, 3_600_000])
    route.longestMaxWaitMilliseconds = random.pick([nil, 301, 3_600_000])
    route.longestMaxStaleMilliseconds = random.pick([nil, 100, 3_600_000])
  }

  private static let pointers = Spelling.pointers.map { try? JSONPointer($0) }
}

extension Route {
  /// Its requests share no answers, and none supersedes others by its answer.
  mutating func meetOnlyByKey() {
    (policy, join, superseded, maxStaleMilliseconds) = (nil, nil, .error, nil)
  }
}
