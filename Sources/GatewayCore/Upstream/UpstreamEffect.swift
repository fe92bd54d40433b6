/// What upstream may have done of a task whose caller gets an error of ours: later cases mean more.
package enum UpstreamEffect: UInt8, Hashable, Sendable {
  case notSent, cancelSent, mayHaveCompleted

  /// Of two the one that says more.
  func or(_ other: UpstreamEffect) -> UpstreamEffect { rawValue < other.rawValue ? other : self }

  package var name: StaticString {
    switch self {
    case .notSent: "notSent"
    case .cancelSent: "cancelSent"
    case .mayHaveCompleted: "mayHaveCompleted"
    }
  }
}
