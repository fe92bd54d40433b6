import JSONRPC

/// Which members an object `task` has.
package struct TaskMembers: OptionSet, Sendable {
  package let rawValue: UInt32

  static let key = TaskMembers(rawValue: 1 << 0)
  static let policy = TaskMembers(rawValue: 1 << 1)
  static let group = TaskMembers(rawValue: 1 << 2)
  static let join = TaskMembers(rawValue: 1 << 3)
  static let scope = TaskMembers(rawValue: 1 << 4)
  static let timeout = TaskMembers(rawValue: 1 << 5)
  static let drain = TaskMembers(rawValue: 1 << 6)
  static let debounce = TaskMembers(rawValue: 1 << 7)
  static let maxWait = TaskMembers(rawValue: 1 << 8)
  static let maxStale = TaskMembers(rawValue: 1 << 9)
  static let traceParent = TaskMembers(rawValue: 1 << 10)
  static let order = TaskMembers(rawValue: 1 << 11)

  static let stream = TaskMembers(rawValue: 1 << 13)
  static let pieceIdle = TaskMembers(rawValue: 1 << 14)
  static let superseded = TaskMembers(rawValue: 1 << 15)

  /// Of no client's saying: it counts for a partition of a fleet.
  static let partition = TaskMembers(rawValue: 1 << 12)

  /// No client says this either: the request follows, or a caller that does may have come.
  static let followed = TaskMembers(rawValue: 1 << 16)

  /// Nor this: its upstream reports progress by tokens.
  static let tokens = TaskMembers(rawValue: 1 << 17)

  /// Members that say something about other requests of the same key.
  static let aboutKey: TaskMembers = [.policy, .join, .scope, .debounce, .maxStale, .order, .superseded]

  /// Members of which something is noted beside the task.
  static let noted: TaskMembers = [.drain, .order, .partition, .stream, .followed, .tokens]

  /// Members that need a check of more than the request.
  static let checkedApart: TaskMembers = [.stream, .followed]

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let names: [(name: StaticString, member: TaskMembers)] = [
    ("key", .key), ("policy", .policy), ("group", .group), ("join", .join), ("scope", .scope),
    ("timeoutMs", .timeout), ("drainMs", .drain), ("debounceMs", .debounce), ("maxWaitMs", .maxWait),
    ("maxStaleMs", .maxStale), ("traceparent", .traceParent), ("order", .order),
    ("stream", .stream), ("pieceIdleMs", .pieceIdle), ("superseded", .superseded),
  ]

  /// The one that this is, or none.
  static func named(_ member: Member, in bytes: Span<UInt8>) -> TaskMembers {
    for (name, known) in names where member.isNamed(name, in: bytes) { return known }
    return []
  }
}
