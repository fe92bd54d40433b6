import TaskStore

/// Whether a request may share the answer of its key's newest live one instead of being work of its own.
public enum Joining: Sendable, CaseIterable {
  /// If that one asks the very same: the same method, and params that are the same byte for byte. Goes with
  /// ``Policy/preferPrevious``, ``Policy/cancel``, ``Policy/cancelAndWait`` and ``Policy/keepLatest``.
  case identical

  /// If that one has the same method, whatever its params. Goes with ``Policy/preferPrevious``.
  case always

  /// Each request is work of its own.
  case never

  var rule: JoinRule {
    switch self {
    case .identical: .identical
    case .always: .always
    case .never: .never
    }
  }
}
