/// The requests that ask the same, and how.
struct AskView {
  var form: UInt8 = 0
  var requestCount = 0
  /// The one that asks, if there is just one.
  var request = 0
  /// Calls that upstream has seen, and how many of them undo others.
  var occurrences = 0
  var undoings = 0
}
