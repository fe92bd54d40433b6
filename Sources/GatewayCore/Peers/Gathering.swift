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
  var count: Int
  /// The waiters of the parts.
  var parts: [WaiterID] = []
  /// The error object of a loop that has refused to do its part; empty: none has.
  var refusal: [UInt8] = []
  /// Of lanes: the objects of their tasks, and how old each task is.
  var tasks: [(ageMilliseconds: UInt64, text: [UInt8])] = []
}
