import TaskStore

/// What happens to a request whose key is already busy.
///
/// A good key names the thing that is asked about, and never a value that each edit changes: `search:tab-7f3a`.
/// A request is *live* while it is queued or its handler runs and somebody wants the answer; it has *ended* once its
/// handler has returned, or will never start.
public enum Policy: Sendable, CaseIterable {
  /// The newest wins at once: it supersedes every live request of its key, and starts. For typeahead and sliders.
  case cancel

  /// The newest wins, but starts only when every earlier one has ended, those that were superseded, too. For work
  /// that must not overlap.
  case cancelAndWait

  /// First come, first served: it starts when every earlier one has ended. For writes in order.
  case wait

  /// All run at once.
  case concurrent

  /// The very same question (method and params, byte for byte) shares the answer that is on its way; another one is
  /// refused with -32081 while the key is busy. For refresh buttons.
  case preferPrevious

  /// What runs is finished; of those that wait, only the latest stays. For saving a document.
  case keepLatest

  /// All run at once, and a result supersedes every older live request of its key; an error ends nothing but its own.
  /// For showing progress, never backwards.
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
