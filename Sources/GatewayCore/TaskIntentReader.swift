import JSONRPC
import TaskStore

/// Reads what a request asks of the store, in its member `task` and by its route: what it says itself wins, member by
/// member. Anything in `task` that is not understood is an error that names it.
struct TaskIntentReader {
  static let durationLimitMilliseconds: UInt64 = 3_600_000

  var keys: LabelReader
  var groups: LabelReader

  init(_ configuration: GatewayConfiguration) {
    keys = LabelReader(limitBytes: configuration.keyBytes)
    groups = LabelReader(limitBytes: configuration.groupBytes)
  }

  /// - Parameters:
  ///   - route: one of the router's; -1: none.
  ///   - intent: says nothing yet.
  mutating func read(
    _ envelope: Envelope, _ route: Int, of router: borrowing Router, in bytes: Span<UInt8>,
    into intent: inout TaskIntent
  ) throws(RPCError) {
    if take(envelope.usualTask, in: bytes, into: &intent) {
      // It has a key, and nothing that goes with only some policies.
      if route < 0 { return }
    } else {
      try readMembers(of: envelope.task, in: bytes, into: &intent)
    }
    // A span's element is lent, an array's would be copied.
    let routes = router.routes.span
    if route >= 0 { try takeKey(of: routes[route], envelope.params, in: bytes, into: &intent) }
    try check(intent)
    if route >= 0 { try fill(&intent, from: routes[route]) }
    try checkPolicy(intent)
  }

  private mutating func readMembers(
    of task: ByteRange, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    guard !task.isEmpty else { return }
    var members = ObjectReader(task)
    var seen = TaskMembers()
    while let member = members.next(in: bytes) { try read(member, &seen, in: bytes, into: &intent) }
  }

  private func check(_ intent: TaskIntent) throws(RPCError) {
    if intent.key.isNone, intent.saysWhatToDoWhenBusy {
      throw .invalidParams("task: a policy, join, scope, debounce or maxStaleMs needs a key")
    }
    if let maxWait = intent.maxWaitMilliseconds, maxWait <= intent.debounceMilliseconds ?? .max {
      throw .invalidParams("task.maxWaitMs must be larger than task.debounceMs")
    }
  }

  private func checkPolicy(_ intent: TaskIntent) throws(RPCError) {
    let policy = intent.policy ?? .cancel
    if intent.maxStaleMilliseconds != nil && policy != .cancel {
      throw .invalidParams("task.maxStaleMs goes with the policy cancel only")
    }
    if let join = intent.join, !policy.allows(join) {
      throw .invalidParams("task.join: \"\(join.name)\" does not go with the policy \(policy.name)")
    }
  }

  // MARK: The route

  private mutating func takeKey(
    of route: Route, _ params: ByteRange, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    if intent.key.isNone, let pointer = route.key, let value = pointer.find(in: params, of: bytes) {
      intent.key = try keys.read(
        value, called: "the key at \(pointer.text)", prefix: route.keyPrefix, in: bytes)
    }
    if intent.key.isNone && route.requiresKey {
      throw .invalidParams("a request of this method needs a key")
    }
  }

  /// What the route says counts where the request says nothing, as far as it goes with what the request does say.
  private func fill(_ intent: inout TaskIntent, from route: Route) throws(RPCError) {
    intent.timeoutMilliseconds = intent.timeoutMilliseconds ?? route.timeoutMilliseconds
    intent.drainMilliseconds = intent.drainMilliseconds ?? route.drainMilliseconds
    guard !intent.key.isNone else { return }
    let policy = intent.policy ?? route.policy ?? .cancel
    guard route.allowedPolicies.contains(policy) else {
      throw .invalidParams("task.policy: this method does not allow \(policy.name)")
    }
    intent.policy = policy
    if let join = route.join, intent.join == nil, policy.allows(join) { intent.join = join }
    if policy == .cancel {
      intent.maxStaleMilliseconds = intent.maxStaleMilliseconds ?? route.maxStaleMilliseconds
    }
    intent.debounceMilliseconds = intent.debounceMilliseconds ?? route.debounceMilliseconds
    if let maxWait = route.maxWaitMilliseconds, intent.maxWaitMilliseconds == nil,
      maxWait > intent.debounceMilliseconds ?? .max
    {
      intent.maxWaitMilliseconds = maxWait
    }
  }
}

extension RPCError {
  static func invalidParams(_ message: String) -> RPCError { invalidParams.with(message: message) }
}
