/// One moment of typing: when it comes, and what then stands in the search box.
package struct Keystroke: Hashable, Sendable {
  /// Since the typing began.
  package let atMilliseconds: Int
  /// Empty when everything was taken back: then there is nothing to search for.
  package let text: String
  /// Whether a new query begins here.
  package let isFirst: Bool
}
