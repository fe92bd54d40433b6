package import TaskStore

/// An event of a task, as watchers hear it.
package struct TaskEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A request became a task.
    case admitted(DuplicatePolicy)
    /// One more caller waits for its answer.
    case joined
    /// A request did not become one.
    case rejected(DuplicatePolicy, Rejection)
    /// It went upstream.
    case sent
    /// A caller heard that it gets no answer.
    case refused(Refusal.Reason, DuplicatePolicy, UpstreamEffect, taskGoesOn: Bool)
    /// A caller of it, superseded, waits for the answer of the task of this generation from now on.
    case followed(UInt64)
    /// A caller went away.
    case abandoned
    /// Its callers got the first piece of its answer.
    case firstPiece
    /// Upstream was told that nobody wants it any more.
    case cancelSent
    /// Its callers got what upstream answered; or, a notification, it was handed over.
    case answered(isError: Bool)
    /// Upstream has ended what nobody wanted any more.
    case ended(Ending)
  }

  /// What became of work that had no caller any more.
  package enum Ending: UInt8, Hashable, Sendable {
    /// Nothing was heard of it.
    case silent
    /// It succeeded, and that was dropped.
    case succeeded
    /// Upstream gave it up, or failed.
    case failed
  }

  /// Why a request was refused at the door.
  package enum Rejection: UInt8, Hashable, Sendable {
    case busy, overloaded, upstreamUnavailable, shuttingDown, overtaken

    package var name: StaticString {
      switch self {
      case .busy: "busy"
      case .overloaded: "overloaded"
      case .upstreamUnavailable: "upstreamUnavailable"
      case .shuttingDown: "shuttingDown"
      case .overtaken: "overtaken"
      }
    }
  }

  package var kind: Kind
  /// 0 for a request that became no task.
  package var generation: UInt64
  package var atMilliseconds: UInt64
  /// How long before that the task was admitted.
  package var ageMilliseconds: UInt64 = 0
  /// The slot of the caller's connection; -1: it does not matter.
  package var client = -1
  /// Which of the journal's origins the request came from; -1: it does not matter.
  package var origin = -1
  /// The error code that a refused caller got, if it is not the usual one of the reason; 0: it is.
  package var unusualCode = 0
  /// Where the journal's text has the key, and whose key it is; empty without one.
  package var key = 0..<0
  package var namespace: Namespace?
  /// Where it has the method, as a JSON string; empty if it was not kept.
  package var method = 0..<0
}
