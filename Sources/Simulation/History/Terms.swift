import GatewayCore
import JSONRPC
import TaskStore

/// The terms of a request: its own, else its route's, else the usual ones.
struct Terms {
  /// Why a request is refused that would have been valid elsewhere.
  enum Refusal: Int, CaseIterable {
    case unfitKey, noKeyToSpeakOf, keyRequired, policyForbidden, contradiction, sharedScope, tooLong,
      joinForbidden, unauthenticated, notAllowedPolicy, notAllowedJoin,
      followForbidden, notAllowedFollow, noPieces

    /// What its client hears.
    var code: Int {
      switch self {
      case .unauthenticated: RPCError.unauthenticated.code
      case .notAllowedPolicy, .notAllowedJoin, .notAllowedFollow: RPCError.forbidden.code
      default: RPCError.invalidParams.code
      }
    }
    static let codes = Set(allCases.map(\.code))
  }

  /// Of its upstream.
  var place = 0
  var upstream = 0
  /// An index into the keys; -1: none.
  var key: Int8 = -1
  var scope: ListenerOptions.Scope?
  var priority = 0
  /// By what it is decided.
  var policy = DuplicatePolicy.cancel
  var join = JoinRule.never
  var isUndoable = false
  /// How upstream is told that it is not wanted any more.
  var cancel = CancelDialect.none
  /// Upstream answers it no more once it was cancelled.
  var isUnheard = false
  var timeoutMilliseconds = 0
  /// So long it waits since each report of progress, and so long at most; nil: it says itself how long.
  var progressMilliseconds: (timeout: Int, longest: Int)?
  /// The same since each piece of its answer; nil: pieces give it no time.
  var pieceMilliseconds: (timeout: Int, longest: Int)?
  var drainMilliseconds = 0
  /// So long it may drain once its client has gone.
  var leftDrainMilliseconds = 0
  var debounceMilliseconds: UInt32 = 0
  var maxWaitMilliseconds: UInt32?
  var maxStaleMilliseconds: UInt32?
  /// So many tasks of its lane may run at once for it to start.
  var maxRunning = 1
  /// When it is superseded it gets the answer to what is newer.
  var follows = false
  private(set) var refusal: Refusal?

  init() {}

  init(
    _ request: Request, _ way: Routing.Way, _ configuration: GatewayConfiguration, _ person: Person,
    usualScope: ListenerOptions.Scope
  ) {
    let route = way.route ?? Route(method: "")
    place = route.upstream
    upstream = place
    priority = route.priority
    isUndoable = route.compensation != nil && !request.isNotification
    timeoutMilliseconds = Int(
      request.timeoutMilliseconds ?? route.timeoutMilliseconds ?? configuration.timeoutMilliseconds)
    let configured = route.timeoutMilliseconds ?? configuration.timeoutMilliseconds
    let longest = Int(
      route.longestTimeoutMilliseconds ?? max(configuration.longest.timeoutMilliseconds, configured))
    if request.timeoutMilliseconds == nil { progressMilliseconds = (timeoutMilliseconds, longest) }
    if let idle = request.pieceIdleMilliseconds { pieceMilliseconds = (Int(idle), longest) }
    drainMilliseconds = Int(
      request.drainMilliseconds ?? route.drainMilliseconds ?? configuration.drainMilliseconds)
    let usualDrain = Int(route.drainMilliseconds ?? configuration.drainMilliseconds)
    leftDrainMilliseconds = min(drainMilliseconds, usualDrain)
    key = request.key
    if key < 0, case .key(let found) = way.place {
      key = route.keyPrefix.isEmpty ? found : Spelling.prefixedKeys[found] ?? found
    }
    if !Self.isWithin(request, way.route, configuration) { refusal = .tooLong }
    if request.key < 0 && way.place == .unfit { refusal = .unfitKey }
    if key >= 0 { decide(request, route) } else { refuseWithoutKey(request, route) }
    let saidPolicy = policy
    if route.compensation != nil && policy == .cancel { policy = .cancelAndWait }
    if key >= 0, route.compensation == nil, policy == .wait || policy == .keepLatest {
      maxRunning = Int(route.maxRunning)
    }
    decideWhere(request, configuration.upstreams[place])
    if configuration.upstreams[place].isPerConnection { keepOrder(request) }
    decideCancel(route, configuration.upstreams[place])
    if person == .unknown { refusal = .unauthenticated }
    if person.isRestricted && refusal == nil { restrict(request, saidPolicy) }
    let isOwn = (scope ?? usualScope) == .connection
    if follows && !request.isNotification && !isOwn && route.superseded != .follow && refusal == nil {
      refusal = .followForbidden
    }
    let isShared = configuration.upstreams[place].passesSharedProgress
    if request.isNotification || key < 0 || isShared && request.hasToken { follows = false }
  }

  /// An exchange gets whole answers only, and no pieces.
  mutating func refusePieces() { refusal = refusal ?? .noPieces }

  /// Only a request in a lane is held to what its client may do there.
  private mutating func restrict(_ request: Request, _ policy: DuplicatePolicy) {
    guard key >= 0 else { return }
    if !Population.restrictedPolicies.contains(policy) { return refusal = .notAllowedPolicy }
    if join != .never && request.join != nil { refusal = .notAllowedJoin }
    join = .never
    if follows && request.superseded != nil && refusal == nil { refusal = .notAllowedFollow }
    follows = false
  }

  /// Whether it asks for no more time than it may: what it would get anyway it may ask for, unless its route says less.
  private static func isWithin(
    _ request: Request, _ route: Route?, _ configuration: GatewayConfiguration
  ) -> Bool {
    let usual = configuration.longest
    let times: [(said: UInt32?, own: UInt32?, usual: UInt32, anyway: UInt32?)] = [
      (
        request.timeoutMilliseconds, route?.longestTimeoutMilliseconds, usual.timeoutMilliseconds,
        route?.timeoutMilliseconds ?? configuration.timeoutMilliseconds
      ),
      (
        request.pieceIdleMilliseconds, route?.longestTimeoutMilliseconds, usual.timeoutMilliseconds,
        route?.timeoutMilliseconds ?? configuration.timeoutMilliseconds
      ),
      (
        request.drainMilliseconds, route?.longestDrainMilliseconds, usual.drainMilliseconds,
        route?.drainMilliseconds ?? configuration.drainMilliseconds
      ),
      (
        request.debounceMilliseconds, route?.longestDebounceMilliseconds, usual.debounceMilliseconds,
        route?.debounceMilliseconds
      ),
      (
        request.maxWaitMilliseconds, route?.longestMaxWaitMilliseconds, usual.maxWaitMilliseconds,
        route?.maxWaitMilliseconds
      ),
      (
        request.maxStaleMilliseconds, route?.longestMaxStaleMilliseconds, usual.maxStaleMilliseconds,
        route?.maxStaleMilliseconds
      ),
    ]
    return times.allSatisfy { time in
      guard let said = time.said else { return true }
      if let own = time.own { return said <= own }
      return said <= time.usual || said <= time.anyway ?? 0
    }
  }

  /// What a connection has to itself has keys of its own.
  private mutating func decideWhere(_ request: Request, _ options: UpstreamOptions) {
    scope = options.isPerConnection ? .connection : request.scope
    if options.isPerConnection && request.scope == .shared { refusal = refusal ?? .sharedScope }
  }

  /// Everything goes there as it comes, and no notification is held up or supersedes anything.
  private mutating func keepOrder(_ request: Request) {
    priority = Route.usualPriority
    guard request.isNotification else { return }
    (key, policy, join, maxRunning) = (-1, .cancel, .never, 1)
    (debounceMilliseconds, maxWaitMilliseconds, maxStaleMilliseconds) = (0, nil, nil)
    follows = false
  }

  /// The route's cancel, else the upstream's, as far as it is possible there. A task that may have to be undone is not
  /// cancelled in a way that leaves open whether it succeeded.
  private mutating func decideCancel(_ route: Route, _ options: UpstreamOptions) {
    cancel = route.cancel ?? options.cancel
    switch cancel {
    case .none, .lsp: break
    case .mcp: isUnheard = true
    case .abort:
      isUnheard = true
      if options.shape == .connection { cancel = .none }
    case .notification:
      isUnheard = options.cancelNotification?.isAnswered == false
      if options.cancelNotification == nil { cancel = .none }
    }
    if isUnheard && route.compensation != nil { cancel = .none }
    if cancel == .none { isUnheard = false }
  }

  private mutating func refuseWithoutKey(_ request: Request, _ route: Route) {
    if refusal != nil { return }
    refusal = route.requiresKey ? .keyRequired : request.needsKey ? .noKeyToSpeakOf : nil
  }

  private mutating func decide(_ request: Request, _ route: Route) {
    policy = request.policy ?? route.policy ?? .cancel
    if !route.allowedPolicies.contains(policy) { refusal = .policyForbidden }
    join = policy == .preferPrevious ? .identical : .never
    if let said = request.join {
      join = said
      if said == .always && route.join != .always { refusal = .joinForbidden }
      if !policy.allows(said) { refusal = .contradiction }
    } else if let usual = route.join, policy.allows(usual) {
      join = usual
    }
    follows = request.superseded == .follow || request.superseded == nil && route.superseded == .follow
    if !policy.allowsFollowing {
      if request.superseded == .follow { refusal = .contradiction }
      follows = false
    }
    if request.maxStaleMilliseconds != nil, policy != .cancel { refusal = .contradiction }
    if policy == .cancel {
      maxStaleMilliseconds = request.maxStaleMilliseconds ?? route.maxStaleMilliseconds
    }
    debounceMilliseconds = request.debounceMilliseconds ?? route.debounceMilliseconds ?? 0
    let isSaid = request.debounceMilliseconds != nil || route.debounceMilliseconds != nil
    maxWaitMilliseconds = request.maxWaitMilliseconds
    if maxWaitMilliseconds == nil, let maxWait = route.maxWaitMilliseconds, isSaid,
      maxWait > debounceMilliseconds
    {
      maxWaitMilliseconds = maxWait
    }
  }
}
