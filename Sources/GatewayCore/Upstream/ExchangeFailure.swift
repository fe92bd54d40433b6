/// How far a message came whose exchange ended without an answer, or without its delivery.
package enum ExchangeFailure: Hashable, Sendable {
  /// It was not tried: there was no room for it on this side, which is no fault of the endpoint's.
  case untried
  /// The endpoint could not be reached, and has not got it.
  case unreached
  /// The endpoint may have got it.
  case unanswered
  /// Its answer is longer than may be.
  case tooLong

  /// Whether the endpoint may have got the message.
  package var mayBeHeard: Bool { self == .unanswered || self == .tooLong }
}
