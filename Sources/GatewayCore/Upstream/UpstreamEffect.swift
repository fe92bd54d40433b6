/// What upstream may have done of a task whose caller gets an error of ours: the later the more.
package enum UpstreamEffect: UInt8, Hashable, Sendable, Comparable {
  case notSent, cancelSent, mayHaveCompleted

  package static func < (one: UpstreamEffect, other: UpstreamEffect) -> Bool { one.rawValue < other.rawValue }

  package var name: StaticString {
    switch self {
    case .notSent: "notSent"
    case .cancelSent: "cancelSent"
    case .mayHaveCompleted: "mayHaveCompleted"
    }
  }
}
