import JSONRPC
import TaskStore

/// What a request asks of the store: its key and its options, in whatever form the client gave them.
struct TaskIntent {
  typealias Scope = ListenerOptions.Scope

  var key = Label.none
  var group = Label.none
  var policy: DuplicatePolicy?
  var join: JoinRule?
  var scope: Scope?
  var timeoutMilliseconds: UInt32?
  var drainMilliseconds: UInt32?
  var debounceMilliseconds: UInt32?
  var maxWaitMilliseconds: UInt32?
  var maxStaleMilliseconds: UInt32?
  /// Of the member `task`, for error messages.
  fileprivate(set) var saysWhatToDoWhenBusy = false
}

/// Reads what a request asks of the store, in its member `task` and by its route: what it says itself wins, member by
/// member. Anything in `task` that is not understood is an error that names it.
struct TaskIntentReader {
  static let durationLimitMilliseconds: UInt64 = 3_600_000

  private(set) var keys: LabelReader
  private(set) var groups: LabelReader

  init(_ configuration: GatewayConfiguration) {
    keys = LabelReader(limitBytes: configuration.keyBytes)
    groups = LabelReader(limitBytes: configuration.groupBytes)
  }

  mutating func read(_ envelope: Envelope, _ route: Route?, in bytes: Span<UInt8>) throws(RPCError)
    -> TaskIntent
  {
    var intent = TaskIntent()
    if !envelope.task.isEmpty {
      var members = ObjectReader(envelope.task)
      while let member = members.next(in: bytes) { try read(member, in: bytes, into: &intent) }
    }
    if let route { try takeKey(of: route, envelope.params, in: bytes, into: &intent) }
    try check(intent)
    if let route { try fill(&intent, from: route) }
    try checkPolicy(intent)
    return intent
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
      intent.key = try keys.read(value, called: "the key at \(pointer.text)", in: bytes)
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

  // MARK: The member `task`

  private mutating func read(
    _ member: Member, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    if member.isNamed("key", in: bytes) {
      intent.key = try keys.read(member, called: "task.key", in: bytes)
    } else if member.isNamed("group", in: bytes) {
      intent.group = try groups.read(member, called: "task.group", in: bytes)
    } else if member.isNamed("policy", in: bytes) {
      intent.policy = try policy(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("join", in: bytes) {
      intent.join = try join(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("scope", in: bytes) {
      intent.scope = try TaskIntent.Scope(member, called: "task.scope", in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("timeoutMs", in: bytes) {
      intent.timeoutMilliseconds = try duration(member, in: bytes)
    } else if member.isNamed("drainMs", in: bytes) {
      intent.drainMilliseconds = try duration(member, in: bytes)
    } else if member.isNamed("debounceMs", in: bytes) {
      intent.debounceMilliseconds = try duration(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("maxWaitMs", in: bytes) {
      intent.maxWaitMilliseconds = try duration(member, in: bytes)
    } else if member.isNamed("maxStaleMs", in: bytes) {
      intent.maxStaleMilliseconds = try duration(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("traceparent", in: bytes) {
      try checkTraceParent(member, in: bytes)
    } else {
      throw .invalidParams("task: unknown member '\(member.nameText(in: bytes))'")
    }
  }

  private func checkTraceParent(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) {
    let content = member.value.range.dropFirst().dropLast()
    guard member.kind == .string, TraceParent.isValid(bytes.extracting(content)) else {
      throw .invalidParams("task.traceparent is none of W3C Trace Context")
    }
  }

  private func policy(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> DuplicatePolicy {
    guard member.kind == .string else { throw .invalidParams("task.policy must be a string") }
    for policy in DuplicatePolicy.allCases
    where JSONString.equals(member.value, in: bytes, policy.wireName) { return policy }
    throw .invalidParams("task.policy: unknown policy \(Member.text(member.value, in: bytes))")
  }

  private func join(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> JoinRule {
    if member.kind == .string {
      if JSONString.equals(member.value, in: bytes, "always") { return .always }
      if JSONString.equals(member.value, in: bytes, "identical") { return .identical }
      if JSONString.equals(member.value, in: bytes, "never") { return .never }
    }
    throw .invalidParams("task.join must be \"always\", \"identical\" or \"never\"")
  }

  private func duration(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> UInt32 {
    guard member.kind == .number,
      let milliseconds = JSONNumber.nonNegativeInteger(member.value, in: bytes),
      milliseconds <= Self.durationLimitMilliseconds
    else {
      throw .invalidParams(
        "task.\(member.nameText(in: bytes)) must be an integer of 0 to "
          + "\(Self.durationLimitMilliseconds) milliseconds")
    }
    return UInt32(milliseconds)
  }
}

extension RPCError {
  static func invalidParams(_ message: String) -> RPCError { invalidParams.with(message: message) }
}
