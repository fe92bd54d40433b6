import GatewayCore
import TaskStore

/// On what terms a request is admitted: what it says itself, else what its route says, else what is usual.
struct Terms {
  /// Why a request is refused that would have been valid elsewhere.
  enum Refusal: Int, CaseIterable {
    case unfitKey, noKeyToSpeakOf, keyRequired, policyForbidden, contradiction, sharedScope
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
  var drainMilliseconds = 0
  var debounceMilliseconds: UInt32 = 0
  var maxWaitMilliseconds: UInt32?
  var maxStaleMilliseconds: UInt32?
  private(set) var refusal: Refusal?

  init() {}

  init(_ request: Request, _ way: Routing.Way, _ configuration: GatewayConfiguration) {
    let route = way.route ?? Route(method: "")
    place = route.upstream
    upstream = place
    priority = route.priority
    isUndoable = route.compensation != nil && !request.isNotification
    timeoutMilliseconds = Int(
      request.timeoutMilliseconds ?? route.timeoutMilliseconds ?? configuration.timeoutMilliseconds)
    drainMilliseconds = Int(
      request.drainMilliseconds ?? route.drainMilliseconds ?? configuration.drainMilliseconds)
    key = request.key
    if key < 0, case .key(let found) = way.place {
      key = route.keyPrefix.isEmpty ? found : Spelling.prefixedKeys[found] ?? found
    }
    refusal = request.key < 0 && way.place == .unfit ? .unfitKey : nil
    if key >= 0 { decide(request, route) } else { refuseWithoutKey(request, route) }
    if route.compensation != nil && policy == .cancel { policy = .cancelAndWait }
    decideWhere(request, configuration.upstreams[place])
    decideCancel(route, configuration.upstreams[place])
  }

  /// What a connection has to itself has keys of its own.
  private mutating func decideWhere(_ request: Request, _ options: UpstreamOptions) {
    scope = options.isPerConnection ? .connection : request.scope
    if options.isPerConnection && request.scope == .shared { refusal = refusal ?? .sharedScope }
  }

  /// As the route has it, else as the upstream has it, as far as that is possible there. What may have to be undone is
  /// not taken back in a way that leaves open whether it succeeded.
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
      if !policy.allows(said) { refusal = .contradiction }
    } else if let usual = route.join, policy.allows(usual) {
      join = usual
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
