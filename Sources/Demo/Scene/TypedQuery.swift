/// One query of a search box, from the keystroke that sent it.
package struct TypedQuery: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    /// Nothing has come back yet.
    case running
    /// Its answer was displayed, and no newer one had been.
    case delivered
    /// Its answer was displayed although that of a newer query had been.
    case stale
    /// It was told that a newer one took its place.
    case superseded
    /// Superseded, and its upstream answered all the same: that went nowhere.
    case droppedLate
    /// It was answered with another error.
    case failed
  }

  package let text: String
  package let sentMilliseconds: Int
  /// Whether it is the first of what is typed in one go.
  package let isFirst: Bool
  package var state: State = .running
  /// When it was answered.
  package var endedMilliseconds: Int?
  /// When its upstream had the answer, if that is known, delivered or not.
  package var upstreamAnsweredMilliseconds: Int?
}
