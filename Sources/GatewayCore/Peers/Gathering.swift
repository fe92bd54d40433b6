import TaskStore

/// An answer that is put together of those of several loops.
struct Gathering {
  enum Kind {
    /// How much was taken back.
    case sum
    /// Nothing but null.
    case null
    /// What lanes have.
    case lanes
  }

  let kind: Kind
  /// How much was taken back, or how many tasks there are.
  var count: Int
  /// The waiters of the parts.
  var parts: [WaiterID] = []
  /// The error object of a loop that has refused to do its part; empty: none has.
  var refusal: [UInt8] = []
  /// Why nobody will hear what came of a part, and whether its loop had been asked; nil: of none is that so.
  var loss: (reason: Refusal.Reason, isSent: Bool)?
  /// Of lanes: the objects of their tasks, and how old each task is.
  var tasks: [(ageMilliseconds: UInt64, text: [UInt8])] = []

  /// Whether something has been taken back, as far as is known.
  var hasTakenBack: Bool {
    if case .lanes = kind { false } else { count > 0 }
  }
}
