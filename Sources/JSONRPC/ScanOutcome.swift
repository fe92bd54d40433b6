/// What the scanner made of one text.
package enum ScanOutcome: Hashable, Sendable {
  /// A request, a notification or a response; the envelope is filled in.
  case message
  /// The text is no JSON, or is nested too deep; `offset` is where that shows. The envelope is of no use.
  case malformed(offset: Int)
  /// A JSON array. The envelope is untouched.
  case batch
  /// JSON, but no message; of the envelope only `isNotification`, `isBadResponse` and, if it is valid, the id are
  /// filled in.
  case invalid(EnvelopeFault)
}
