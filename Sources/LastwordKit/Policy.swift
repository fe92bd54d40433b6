import TaskStore

/// What happens to a request whose key is already busy.
///
/// A good key names the thing that a request is about, such as `search:tab-7f3a`, and never a value that each edit
/// changes.
/// A request is *live* while it is queued, or while its handler runs and its answer is wanted. It has *ended* once its
/// handler has returned, or will never start.
///
/// A policy counts for the request that arrives: requests of one key may have several policies.
public enum Policy: Sendable, CaseIterable {
  /// The newest wins at once: it supersedes every live request of its key, and starts. For typeahead and sliders.
  case cancel

  /// The newest wins at once, as with ``cancel``, but starts only when every earlier request of its key has ended,
  /// superseded ones too. For work that must not overlap.
  case cancelAndWait

  /// First come, first served: a request starts when every earlier one of its key has ended. For writes in order.
  case wait

  /// The request starts at once and supersedes none. For requests that share a key only to be cancelled or inspected
  /// together.
  case concurrent

  /// A request with the same method and params, byte for byte, shares the answer of the key's newest live request. Any
  /// other is refused with -32081 while the key has a live request. For refresh buttons.
  case preferPrevious

  /// The running request is finished; of those that wait, only the latest stays. For saving a document.
  case keepLatest

  /// The request starts at once; its result, when it comes, supersedes every older live request of its key. An error
  /// supersedes none. For showing progress, never backwards.
  case onAnswer

  var storePolicy: DuplicatePolicy {
    switch self {
    case .cancel: .cancel
    case .cancelAndWait: .cancelAndWait
    case .wait: .wait
    case .concurrent: .concurrent
    case .preferPrevious: .preferPrevious
    case .keepLatest: .keepLatest
    case .onAnswer: .onAnswer
    }
  }
}
