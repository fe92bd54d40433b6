/// What upstream may have done of a task whose caller gets an error of ours.
package enum UpstreamEffect: UInt8, Hashable, Sendable {
  case notSent, cancelSent, mayHaveCompleted

  package var name: StaticString {
    switch self {
    case .notSent: "notSent"
    case .cancelSent: "cancelSent"
    case .mayHaveCompleted: "mayHaveCompleted"
    }
  }
}
