import JSONRPC
import TaskStore

extension TaskIntentReader {
  /// Takes what the scanner found in a fast task. False when there is none, and when there is something wrong with it:
  /// reading the task member by member says what.
  @inline(__always)
  func take(_ task: FastTask, in bytes: Span<UInt8>, into intent: inout TaskIntent) -> Bool {
    guard !task.key.isEmpty, let key = keys.plain(task.key) else { return false }
    if !task.policy.isEmpty {
      guard let policy = Self.policy(named: task.policy, in: bytes) else { return false }
      intent.said.insert(.policy)
      intent.take(policy)
    }
    if !task.timeout.isEmpty {
      guard let timeout = Self.duration(task.timeout, in: bytes, most: usualLongest.timeoutMilliseconds)
      else { return false }
      intent.said.insert(.timeout)
      intent.admission.timeoutMilliseconds = timeout
    }
    intent.key = key
    return true
  }

  mutating func read(
    _ member: Member, _ longest: LongestTimes, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    let name = TaskMembers.named(member, in: bytes)
    guard intent.said.isDisjoint(with: name) else {
      throw .invalidParams("task: '\(member.nameText(in: bytes))' occurs twice")
    }
    intent.said.formUnion(name)
    switch name {
    case .key: intent.key = try keys.read(member, called: "task.key", in: bytes)
    case .group: intent.group = try groups.read(member, called: "task.group", in: bytes)
    case .policy: intent.take(try policy(member, in: bytes))
    case .join: intent.admission.join = try join(member, in: bytes)
    case .scope: intent.scope = try TaskIntent.Scope(member, called: "task.scope", in: bytes)
    case .timeout:
      intent.admission.timeoutMilliseconds = try duration(
        member, in: bytes, most: longest.timeoutMilliseconds)
    case .drain:
      intent.admission.drainMilliseconds = try duration(member, in: bytes, most: longest.drainMilliseconds)
    case .debounce:
      intent.admission.debounceMilliseconds = try duration(
        member, in: bytes, most: longest.debounceMilliseconds)
    case .maxWait:
      intent.admission.maxWaitMilliseconds = try duration(
        member, in: bytes, most: longest.maxWaitMilliseconds)
    case .maxStale:
      intent.admission.maxStaleMilliseconds = try duration(
        member, in: bytes, most: longest.maxStaleMilliseconds)
    case .traceParent: intent.traceparent = try traceParent(member, in: bytes)
    case .order: order = try order(member, in: bytes)
    case .superseded: intent.follows(try superseded(member, in: bytes) == .follow)
    case .stream: streams = try isTrue(member, in: bytes)
    case .pieceIdle:
      pieceIdleMilliseconds = try duration(member, in: bytes, most: longest.timeoutMilliseconds)
    default: throw .invalidParams("task: unknown member '\(member.nameText(in: bytes))'")
    }
  }

  private func isTrue(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> Bool {
    if member.value.holds("true", in: bytes) { return true }
    if member.value.holds("false", in: bytes) { return false }
    throw .invalidParams("task.stream must be true or false")
  }

  private func traceParent(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> ByteRange {
    let content = member.value.range.dropFirst().dropLast()
    guard member.kind == .string, TraceParent.isValid(bytes.extracting(content)) else {
      throw .invalidParams("task.traceparent is none of W3C Trace Context")
    }
    return ByteRange(content)
  }

  private func order(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> UInt64 {
    guard member.kind == .number, let order = JSONNumber.nonNegativeInteger(member.value, in: bytes),
      order <= Self.largestOrder
    else { throw .invalidParams("task.order must be an integer of 0 to \(Self.largestOrder)") }
    return order
  }

  /// What every language has without loss in a number of JSON: 2 to the power of 53, less one.
  private static let largestOrder: UInt64 = 9_007_199_254_740_991

  private func policy(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> DuplicatePolicy {
    guard case .string = member.kind else { throw .invalidParams("task.policy must be a string") }
    if let policy = Self.policy(named: member.value, in: bytes) { return policy }
    throw .invalidParams("task.policy: unknown policy \(Member.text(member.value, in: bytes))")
  }

  @inline(__always)
  private static func policy(named name: ByteRange, in bytes: Span<UInt8>) -> DuplicatePolicy? {
    name.holds("\"cancel\"", in: bytes) ? .cancel : anyPolicy(named: name, in: bytes)
  }

  private static func anyPolicy(named name: ByteRange, in bytes: Span<UInt8>) -> DuplicatePolicy? {
    for policy in DuplicatePolicy.allCases where JSONString.equals(name, in: bytes, policy.wireName) {
      return policy
    }
    return nil
  }

  private func join(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> JoinRule {
    if member.kind == .string {
      if JSONString.equals(member.value, in: bytes, "always") { return .always }
      if JSONString.equals(member.value, in: bytes, "identical") { return .identical }
      if JSONString.equals(member.value, in: bytes, "never") { return .never }
    }
    throw .invalidParams("task.join must be \"always\", \"identical\" or \"never\"")
  }

  private func superseded(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> SupersededRule {
    if member.kind == .string {
      if JSONString.equals(member.value, in: bytes, "follow") { return .follow }
      if JSONString.equals(member.value, in: bytes, "error") { return .error }
    }
    throw .invalidParams("task.superseded must be \"follow\" or \"error\"")
  }

  private func duration(
    _ member: Member, in bytes: Span<UInt8>, most: UInt32
  ) throws(RPCError) -> UInt32 {
    guard member.kind == .number, let milliseconds = Self.duration(member.value, in: bytes, most: most) else {
      throw .invalidParams(
        "task.\(member.nameText(in: bytes)) must be an integer of 0 to \(most) milliseconds")
    }
    return milliseconds
  }

  private static func duration(_ number: ByteRange, in bytes: Span<UInt8>, most: UInt32) -> UInt32? {
    guard let milliseconds = JSONNumber.nonNegativeInteger(number, in: bytes), milliseconds <= UInt64(most)
    else { return nil }
    return UInt32(truncatingIfNeeded: milliseconds)
  }
}
