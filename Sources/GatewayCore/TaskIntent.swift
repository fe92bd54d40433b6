import JSONRPC
import TaskStore

/// What a request asks of the store: its key and its options, in whatever form the client gave them.
struct TaskIntent {
  enum Scope { case shared, connection }

  var key: KeyBytes = .none
  var policy: DuplicatePolicy?
  var join: JoinRule?
  var scope = Scope.shared
  var timeoutMilliseconds: UInt32?
  var drainMilliseconds: UInt32?
  var debounceMilliseconds: UInt32?
  var maxWaitMilliseconds: UInt32?
  /// Of the member `task`, for error messages.
  fileprivate(set) var saysWhatToDoWhenBusy = false

  /// Where the bytes of a key are: as they came, or unescaped in the core's scratch buffer.
  enum KeyBytes { case none, raw(Range<Int>), unescaped }
}

/// Reads the member `task` of an envelope; anything in it that is not understood is an error that names it.
struct TaskIntentReader {
  static let durationLimitMilliseconds: UInt64 = 3_600_000

  /// The key, when it came with escapes.
  private(set) var unescapedKey: [UInt8] = []

  init() {}

  mutating func read(_ object: ByteRange, in bytes: Span<UInt8>) throws(RPCError) -> TaskIntent {
    var intent = TaskIntent()
    guard !object.isEmpty else { return intent }
    var members = ObjectReader(object)
    while let member = members.next(in: bytes) {
      try read(member, in: bytes, into: &intent)
    }
    try check(intent)
    return intent
  }

  private func check(_ intent: TaskIntent) throws(RPCError) {
    if case .none = intent.key, intent.saysWhatToDoWhenBusy {
      throw .invalidParams("task: a policy, join, scope or debounce needs a key")
    }
    if let maxWait = intent.maxWaitMilliseconds, maxWait <= intent.debounceMilliseconds ?? .max {
      throw .invalidParams("task.maxWaitMs must be larger than task.debounceMs")
    }
    let policy = intent.policy ?? .cancel
    if let join = intent.join, !policy.allows(join) {
      throw .invalidParams("task.join: \"\(join.name)\" does not go with the policy \(policy.name)")
    }
  }

  private mutating func read(
    _ member: Member, in bytes: Span<UInt8>, into intent: inout TaskIntent
  ) throws(RPCError) {
    if member.isNamed("key", in: bytes) {
      intent.key = try key(member, in: bytes)
    } else if member.isNamed("policy", in: bytes) {
      intent.policy = try policy(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("join", in: bytes) {
      intent.join = try join(member, in: bytes)
      intent.saysWhatToDoWhenBusy = true
    } else if member.isNamed("scope", in: bytes) {
      intent.scope = try scope(member, in: bytes)
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
    } else {
      throw .invalidParams("task: unknown member \(quoted(member.name, in: bytes))")
    }
  }

  private mutating func key(
    _ member: Member, in bytes: Span<UInt8>
  ) throws(RPCError) -> TaskIntent.KeyBytes {
    guard member.kind == .string else { throw .invalidParams("task.key must be a string") }
    let content = member.value.range.dropFirst().dropLast()
    let isEscaped = JSONString.hasEscapes(member.value, in: bytes)
    if isEscaped {
      unescapedKey.removeAll(keepingCapacity: true)
      guard JSONString.unescape(member.value, in: bytes, into: &unescapedKey) else {
        throw .invalidParams("task.key has a lone surrogate")
      }
    }
    let count = isEscaped ? unescapedKey.count : content.count
    guard count > 0 else { throw .invalidParams("task.key is empty") }
    guard count <= WireLimits.keyBytes else {
      throw .invalidParams("task.key is longer than \(WireLimits.keyBytes) bytes")
    }
    return isEscaped ? .unescaped : .raw(content)
  }

  private func policy(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> DuplicatePolicy {
    guard member.kind == .string else { throw .invalidParams("task.policy must be a string") }
    for policy in DuplicatePolicy.allCases
    where JSONString.equals(member.value, in: bytes, policy.wireName) { return policy }
    throw .invalidParams("task.policy: unknown policy \(text(member.value, in: bytes))")
  }

  private func join(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> JoinRule {
    if member.kind == .string {
      if JSONString.equals(member.value, in: bytes, "always") { return .always }
      if JSONString.equals(member.value, in: bytes, "identical") { return .identical }
      if JSONString.equals(member.value, in: bytes, "never") { return .never }
    }
    throw .invalidParams("task.join must be \"always\", \"identical\" or \"never\"")
  }

  private func scope(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> TaskIntent.Scope {
    if member.kind == .string {
      if JSONString.equals(member.value, in: bytes, "shared") { return .shared }
      if JSONString.equals(member.value, in: bytes, "connection") { return .connection }
    }
    throw .invalidParams("task.scope must be \"shared\" or \"connection\"")
  }

  private func duration(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) -> UInt32 {
    guard member.kind == .number,
      let milliseconds = JSONNumber.nonNegativeInteger(member.value, in: bytes),
      milliseconds <= Self.durationLimitMilliseconds
    else {
      throw .invalidParams(
        "task.\(text(member.name, in: bytes)) must be an integer of 0 to "
          + "\(Self.durationLimitMilliseconds) milliseconds")
    }
    return UInt32(milliseconds)
  }

  private func quoted(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
    "'\(text(range, in: bytes))'"
  }

  /// At most 64 bytes of what the client sent, for an error message.
  private func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
    var copy: [UInt8] = []
    copy.append(bytes, range.range.prefix(64))
    return String(decoding: copy, as: UTF8.self)
  }
}

extension RPCError {
  static func invalidParams(_ message: String) -> RPCError { invalidParams.with(message: message) }
}
