/// What the scanner made of one text.
package enum ScanOutcome: Hashable, Sendable {
  /// A request, a notification or a response; the envelope is filled in.
  case message
  /// The text is no JSON; `offset` is where that shows. The envelope is of no use.
  case malformed(offset: Int)
  /// The text is JSON up to a bracket at `offset`, which is one too many. The envelope is of no use.
  case tooDeep(offset: Int)
  /// A JSON array. The envelope is untouched.
  case batch
  /// JSON, but no message; of the envelope only `isNotification`, `isBadResponse` and, if it is valid, the id are
  /// filled in.
  case invalid(EnvelopeFault)

  /// Whether the text is JSON, as far as that was read.
  package var isJSON: Bool {
    switch self {
    case .malformed, .tooDeep: false
    case .message, .batch, .invalid: true
    }
  }
}
