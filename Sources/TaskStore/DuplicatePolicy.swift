/// What happens to a request whose key is already busy.
package enum DuplicatePolicy: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// Supersedes every live task of the lane and starts now.
  case cancel
  /// Supersedes every live task of the lane and starts when every earlier one has ended.
  case cancelAndWait
  /// Starts when every earlier task has ended, first come first served.
  case wait
  /// Starts now, beside the others.
  case concurrent
  /// Joins the newest live task if that asks the very same, is rejected beside other live work, else waits.
  case preferPrevious
  /// Takes the place of the queued `keepLatest` task, if any, and starts when every earlier one has ended.
  case keepLatest
  /// Starts now; its result, not its arrival, supersedes everything older.
  case onAnswer

  /// The policy's name, as requests spell it.
  package var wireName: StaticString {
    switch self {
    case .cancel: "cancel"
    case .cancelAndWait: "cancelAndWait"
    case .wait: "wait"
    case .concurrent: "concurrent"
    case .preferPrevious: "preferPrevious"
    case .keepLatest: "keepLatest"
    case .onAnswer: "onAnswer"
    }
  }

  /// The same as text.
  package var name: String { "\(wireName)" }

  /// Whether a task of this policy starts only when every earlier task of its lane has ended.
  package var waitsForEarlier: Bool {
    switch self {
    case .cancel, .concurrent, .onAnswer: false
    case .cancelAndWait, .wait, .preferPrevious, .keepLatest: true
    }
  }

  /// Whether more than one task of this policy may run at once in its lane.
  package var allowsMaxRunning: Bool { self == .wait || self == .keepLatest }

  /// Whether a caller of this policy may wait for what supersedes its task.
  package var allowsFollowing: Bool { self != .wait && self != .concurrent }

  /// What a request of this policy does about joining unless it says otherwise.
  package var defaultJoin: JoinRule { self == .preferPrevious ? .identical : .never }

  /// Whether a request of this policy may ask for this rule.
  package func allows(_ join: JoinRule) -> Bool {
    switch join {
    case .never: true
    case .identical: self == .preferPrevious || supersedesAtAdmission || self == .keepLatest
    case .always: self == .preferPrevious
    }
  }

  /// Whether a task of this policy supersedes every live task of its lane at admission.
  package var supersedesAtAdmission: Bool { self == .cancel || self == .cancelAndWait }
}
