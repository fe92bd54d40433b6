package import TaskStore

/// Something that happened to a task, as those hear it who watch.
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
    /// A caller went away.
    case abandoned
    /// Upstream was told that nobody wants it any more.
    case cancelSent
    /// Its callers got what upstream answered; or, a notification, it was handed over.
    case answered(isError: Bool)
    /// Upstream has ended what nobody wanted any more.
    case ended(Ending)
  }

  /// What became of work that nobody wanted any more.
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
    case busy, overloaded, upstreamUnavailable, shuttingDown

    package var name: StaticString {
      switch self {
      case .busy: "busy"
      case .overloaded: "overloaded"
      case .upstreamUnavailable: "upstreamUnavailable"
      case .shuttingDown: "shuttingDown"
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
  /// Where the journal's text has the key, and whose key it is; empty without one.
  package var key = 0..<0
  package var namespace: UInt64 = 0
  /// Where it has the method, as a JSON string; empty if it was not kept.
  package var method = 0..<0
}

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

/// What happened to tasks since it was last emptied, for those who watch; nothing is noted while nobody does.
package struct TaskJournal: ~Copyable {
  package private(set) var isOpen = false
  /// So many events are noted; what is beyond is counted only.
  private var limitEvents = 0
  package private(set) var events: [TaskEvent] = []
  /// Keys and methods.
  package private(set) var text: [UInt8] = []
  /// Events that found no place.
  package private(set) var leftOutCount: UInt64 = 0

  /// Notes so many events at most until it is emptied; nil: none, and does not even count them.
  mutating func open(limitEvents: Int?) {
    isOpen = limitEvents != nil
    self.limitEvents = limitEvents ?? 0
  }

  /// Whether there is room for one more event; one that there is no room for is counted.
  @inline(__always)
  mutating func takesMore() -> Bool {
    if events.count < limitEvents { return true }
    leftOutCount &+= 1
    return false
  }

  mutating func note(_ event: TaskEvent) { events.append(event) }

  /// The text, to be written on and put back.
  mutating func takeText() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &text)
    return taken
  }

  mutating func putBack(_ text: [UInt8]) { self.text = text }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    leftOutCount = 0
  }
}
