import JSONRPC
import TaskStore

/// Reads what a request asks of the store, in its member `task` and by its route: what it says itself wins, member by
/// member. Anything in `task` that is not understood is an error that names it.
struct TaskIntentReader {
  var keys: LabelReader
  var groups: LabelReader
  /// The admission of a request without options and without a route.
  private(set) var usualAdmission = Admission(key: nil)
  /// The members noted of each request, whether or not it has them.
  private(set) var usualSaid: TaskMembers
  /// What requests may ask for without a route, and by their route.
  private(set) var usualLongest: LongestTimes
  private var longestOfRoutes: [LongestTimes]
  /// By route: whether a request has come.
  private var hasHadRequest: [Bool]
  /// The routes whose first request had no key where they look for it.
  private(set) var keylessRoutes: [Int] = []
  /// Of the last request that said one.
  var order: UInt64 = 0
  /// Of the last request that said it: whether it takes its answer in pieces.
  var streams = false
  /// Of the last that said so: how much time each piece gives it.
  var pieceIdleMilliseconds: UInt32 = 0

  init(_ configuration: GatewayConfiguration, at loop: LoopPlace = .alone) {
    usualSaid = loop.isOwner ? .partition : []
    usualAdmission.timeoutMilliseconds = configuration.timeoutMilliseconds
    usualAdmission.drainMilliseconds = configuration.drainMilliseconds
    usualLongest = LongestTimes(configuration)
    longestOfRoutes = configuration.routes.map { LongestTimes(configuration, route: $0) }
    hasHadRequest = configuration.routes.map { _ in false }
    keys = LabelReader(limitBytes: configuration.keyBytes)
    groups = LabelReader(limitBytes: configuration.groupBytes)
  }

  /// A caller that follows has come: from now on requests are compared with others of their keys.
  var hasFollowers: Bool { usualSaid.contains(.followed) }
  mutating func noteFollowers() { usualSaid.insert(.followed) }

  var usualIntent: TaskIntent {
    @inline(__always) get { TaskIntent(admission: usualAdmission, said: usualSaid) }
  }

  /// - Parameters:
  ///   - route: one of the router's; -1: none.
  ///   - intent: the usual admission so far.
  @inline(__always)
  mutating func read(
    _ envelope: Envelope, _ route: Int, of router: borrowing Router, in bytes: Span<UInt8>,
    into intent: inout TaskIntent
  ) throws(RPCError) {
    let isOnFastPath = take(envelope.fastTask, in: bytes, into: &intent)
    // It has a key then, and nothing that goes with only some policies.
    if isOnFastPath && route < 0 { return }
    try read(envelope, route, of: router, isOnFastPath: isOnFastPath, in: bytes, into: &intent)
  }

  @inline(never)
  private mutating func read(
    _ envelope: Envelope, _ route: Int, of router: borrowing Router, isOnFastPath: Bool,
    in bytes: Span<UInt8>,
    into intent: inout TaskIntent
  ) throws(RPCError) {
    let longest = longest(route)
    let isTooLong =
      intent.said.contains(.timeout) && intent.admission.timeoutMilliseconds > longest.timeoutMilliseconds
    if !isOnFastPath || isTooLong {
      intent = usualIntent
      try readMembers(of: envelope.task, longest, in: bytes, into: &intent)
    }
    // A span's element is lent, an array's would be copied.
    let routes = router.routes.span
    if route >= 0 {
      try takeKey(of: routes[route], envelope.params, in: bytes, into: &intent)
      if !hasHadRequest[route] { noteFirstKey(intent, route, routes[route]) }
      if intent.key.isNone && routes[route].requiresKey {
        throw .invalidParams("a request of this method needs a key")
      }
    }
    try check(intent)
    try checkPieces(intent)
    if route >= 0 { try fill(&intent, from: routes[route]) }
    try checkPolicy(intent)
    if intent.said.contains(.join), intent.admission.join == .always,
      route < 0 || routes[route].join != .always
    {
      throw .invalidParams("task.join: this method does not allow \"always\"")
    }
  }

  private mutating func readMembers(
    of task: ByteRange, _ longest: LongestTimes, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    guard !task.isEmpty else { return }
    var members = ObjectReader(task)
    while let member = members.next(in: bytes) { try read(member, longest, in: bytes, into: &intent) }
  }

  private func check(_ intent: TaskIntent) throws(RPCError) {
    if intent.key.isNone, !intent.said.isDisjoint(with: .aboutKey) {
      throw .invalidParams(
        "task: a policy, join, scope, debounce, maxStaleMs, superseded or order needs a key")
    }
    let debounce = intent.said.contains(.debounce) ? intent.admission.debounceMilliseconds : .max
    if intent.said.contains(.maxWait), intent.admission.maxWaitMilliseconds <= debounce {
      throw .invalidParams("task.maxWaitMs must be larger than task.debounceMs")
    }
  }

  private func checkPieces(_ intent: TaskIntent) throws(RPCError) {
    if intent.said.contains(.pieceIdle), !intent.said.contains(.stream) || !streams {
      throw .invalidParams("task.pieceIdleMs goes with task.stream only")
    }
  }

  private func checkPolicy(_ intent: TaskIntent) throws(RPCError) {
    let (policy, join) = (intent.admission.policy, intent.admission.join)
    if intent.said.contains(.maxStale) && policy != .cancel {
      throw .invalidParams("task.maxStaleMs goes with the policy cancel only")
    }
    if intent.said.contains(.superseded), intent.admission.follows, !policy.allowsFollowing {
      throw .invalidParams("task.superseded: \"follow\" does not go with the policy \(policy.name)")
    }
    if intent.said.contains(.join), !policy.allows(join) {
      throw .invalidParams("task.join: \"\(join.name)\" does not go with the policy \(policy.name)")
    }
  }

  // MARK: The route

  /// How long a request may drain that does not say it.
  func usualDrainMilliseconds(_ route: Int, of router: borrowing Router) -> UInt32 {
    (route < 0 ? nil : router.routes[route].drainMilliseconds) ?? usualAdmission.drainMilliseconds
  }

  /// How long a request waits that does not say it.
  func configuredTimeout(_ route: Int, of router: borrowing Router) -> UInt32 {
    (route < 0 ? nil : router.routes[route].timeoutMilliseconds) ?? usualAdmission.timeoutMilliseconds
  }

  /// The progress times of a request that comes now and names no timeout.
  func progressTimes(
    _ route: Int, of router: borrowing Router, at nowMilliseconds: UInt64
  ) -> ProgressTimes {
    let timeout = configuredTimeout(route, of: router)
    return timeout < Admission.unlimited
      ? times(giving: timeout, route, at: nowMilliseconds) : ProgressTimes()
  }

  /// The piece times of a request that comes now.
  func pieceTimes(_ intent: TaskIntent, _ route: Int, at nowMilliseconds: UInt64) -> ProgressTimes {
    intent.said.contains(.pieceIdle)
      ? times(giving: pieceIdleMilliseconds, route, at: nowMilliseconds) : ProgressTimes()
  }

  /// So much time again each time, up to the longest.
  private func times(giving milliseconds: UInt32, _ route: Int, at nowMilliseconds: UInt64) -> ProgressTimes {
    ProgressTimes(
      timeoutMilliseconds: milliseconds,
      latestMilliseconds: nowMilliseconds + UInt64(longest(route).timeoutMilliseconds))
  }

  private func longest(_ route: Int) -> LongestTimes { route < 0 ? usualLongest : longestOfRoutes[route] }

  private mutating func takeKey(
    of route: Route, _ params: ByteRange, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    if intent.key.isNone, let pointer = route.key, let value = pointer.find(in: params, of: bytes) {
      intent.key = try keys.read(
        value, called: "the key at \(pointer.text)", prefix: route.keyPrefix, in: bytes)
    }
    if intent.key.isNone && route.hasConstantKey { intent.key = keys.take(route.keyPrefix) }
  }

  @inline(never)
  private mutating func noteFirstKey(_ intent: TaskIntent, _ number: Int, _ route: Route) {
    hasHadRequest[number] = true
    if intent.key.isNone && route.key != nil { keylessRoutes.append(number) }
  }

  /// The route fills in options that the request leaves open, as far as they fit those that it names.
  private func fill(_ intent: inout TaskIntent, from route: Route) throws(RPCError) {
    let said = intent.said
    if let timeout = route.timeoutMilliseconds, !said.contains(.timeout) {
      intent.admission.timeoutMilliseconds = timeout
    }
    if let drain = route.drainMilliseconds, !said.contains(.drain) {
      intent.admission.drainMilliseconds = drain
    }
    guard !intent.key.isNone else { return }
    let policy = said.contains(.policy) ? intent.admission.policy : route.policy ?? .cancel
    guard route.allowedPolicies.contains(policy) else {
      throw .invalidParams("task.policy: this method does not allow \(policy.name)")
    }
    intent.take(policy)
    if let join = route.join, !said.contains(.join), policy.allows(join) { intent.admission.join = join }
    if let maxStale = route.maxStaleMilliseconds, policy == .cancel, !said.contains(.maxStale) {
      intent.admission.maxStaleMilliseconds = maxStale
    }
    if route.superseded == .follow, policy.allowsFollowing, !said.contains(.superseded) {
      intent.follows(true)
    }
    intent.admission.maxRunning = route.maxRunning
    let debounce =
      said.contains(.debounce) ? intent.admission.debounceMilliseconds : route.debounceMilliseconds
    intent.admission.debounceMilliseconds = debounce ?? 0
    if let maxWait = route.maxWaitMilliseconds, !said.contains(.maxWait), maxWait > debounce ?? .max {
      intent.admission.maxWaitMilliseconds = maxWait
    }
  }
}

extension RPCError {
  static func invalidParams(_ message: String) -> RPCError { invalidParams.with(message: message) }
}
