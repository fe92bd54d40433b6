import TaskStore

/// Whether a request may share the answer of its key's newest live request, so that no handler runs for it.
///
/// ``Policy`` says which requests are *live*. The answer to a notification cannot be shared.
public enum Joining: Sendable, CaseIterable {
  /// It may if both have the same method and params, byte for byte. Goes with ``Policy/preferPrevious``,
  /// ``Policy/cancel``, ``Policy/cancelAndWait`` and ``Policy/keepLatest``.
  case identical

  /// It may if both have the same method, whatever their params. Goes with ``Policy/preferPrevious``.
  case always

  /// It may not: a handler runs for each request. Goes with every policy.
  case never

  var rule: JoinRule {
    switch self {
    case .identical: .identical
    case .always: .always
    case .never: .never
    }
  }
}
