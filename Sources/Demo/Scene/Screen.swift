/// Knows what one search box shows, and decides whether that is stale.
///
/// A search box displays every answer when it comes. An answer is STALE if it is displayed after the answer
/// of a newer query of the same box was displayed.
package struct Screen: Hashable, Sendable {
  /// What is on the screen.
  package struct Shown: Hashable, Sendable {
    package let number: Int
    package let answer: SearchAnswer
    package let isStale: Bool
  }

  /// In the order in which they were sent; the place is the query's number.
  package private(set) var queries: [TypedQuery] = []
  package private(set) var shown: Shown?
  /// Stale answers that reached the screen.
  package private(set) var staleAnswers = 0
  private var newestShown = -1

  package init() {}

  package var superseded: Int { queries.count { $0.state == .superseded || $0.state == .droppedLate } }
  package var droppedLate: Int { queries.count { $0.state == .droppedLate } }
  package var delivered: Int { queries.count { $0.state == .delivered || $0.state == .stale } }
  package var failed: Int { queries.count { $0.state == .failed } }
  /// Whether no answer is awaited any more.
  package var isSettled: Bool { !queries.contains { $0.state == .running } }
  /// Whether the screen shows the answer to what was typed last.
  package var showsNewest: Bool { shown.map { $0.number == queries.count - 1 } ?? queries.isEmpty }

  /// - Returns: the query's number, to name it by from now on.
  package mutating func sent(_ text: String, isFirst: Bool = false, atMilliseconds now: Int) -> Int {
    queries.append(TypedQuery(text: text, sentMilliseconds: now, isFirst: isFirst))
    return queries.count - 1
  }

  package mutating func answered(_ number: Int, _ answer: SearchAnswer, atMilliseconds now: Int) {
    let isStale = number < newestShown
    newestShown = max(newestShown, number)
    staleAnswers += isStale ? 1 : 0
    shown = Shown(number: number, answer: answer, isStale: isStale)
    end(number, isStale ? .stale : .delivered, now)
  }

  package mutating func superseded(_ number: Int, atMilliseconds now: Int) { end(number, .superseded, now) }
  package mutating func failed(_ number: Int, atMilliseconds now: Int) { end(number, .failed, now) }

  /// Upstream has the answer. If the query is superseded, before that or after it, the answer is dropped.
  package mutating func upstreamAnswered(_ number: Int, atMilliseconds now: Int) {
    queries[number].upstreamAnsweredMilliseconds = now
    if queries[number].state == .superseded { queries[number].state = .droppedLate }
  }

  private mutating func end(_ number: Int, _ state: TypedQuery.State, _ now: Int) {
    let isDropped = state == .superseded && queries[number].upstreamAnsweredMilliseconds != nil
    queries[number].state = isDropped ? .droppedLate : state
    queries[number].endedMilliseconds = now
  }
}
