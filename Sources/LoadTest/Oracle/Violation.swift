/// Something that must not happen.
package enum Violation: Hashable, Sendable {
  /// A reply to no open request: it was never sent on this connection, or was answered before.
  case unexpectedReply(number: UInt64)
  /// A result came although a newer request of the key had surely superseded it.
  case stale(number: UInt64, newer: UInt64)
  /// A result came although upstream had already heard of a newer request when it gave it.
  case overtaken(number: UInt64, arrival: UInt64, newest: UInt64)
  /// A result came although the request had reached upstream behind a newer one of its client, and should have been
  /// refused as late.
  case late(number: UInt64, newer: UInt64)
  /// The reply has the result of another request.
  case wrongAnswer(number: UInt64)
  /// A request that waits for all earlier ones was answered before one of them.
  case outOfOrder(number: UInt64, after: UInt64)
  /// A piece of no open request: it was never sent on this connection, or has ended.
  case unexpectedPiece(number: UInt64)
  /// A piece is not the next of its request.
  case pieceOutOfOrder(number: UInt64, place: UInt64, expected: UInt64)
  /// There were more pieces, or fewer, than the end says, or than there should have been.
  case wrongPieceCount(number: UInt64, heard: UInt64, said: UInt64)
  /// A request was superseded, but there is no newer one.
  case supersededByNothing(number: UInt64)
  /// A result came although the client had taken the request back, and later requests had been answered.
  case deliveredAfterCancel(number: UInt64)
  /// All requests of a key that were open together were superseded: one of them should not have been.
  case nobodyWon(number: UInt64)
  /// The status of the response is not that of such a reply.
  case wrongStatus(number: UInt64, status: Int)
  /// The response to a POST had no reply to its request.
  case emptyResponse(number: UInt64)
  /// Requests are still unanswered long after the last one was sent.
  case neverAnswered(count: Int)

  /// Whether a result, or a piece of one, reached a caller although a newer request should have superseded it.
  package var isStaleness: Bool {
    switch self {
    case .stale, .overtaken, .unexpectedPiece: true
    default: false
    }
  }
}

extension Violation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unexpectedReply(let number): "a reply to request \(number), which was not open"
    case .stale(let number, let newer): "a stale result of request \(number): \(newer) had superseded it"
    case .overtaken(let number, let arrival, let newest):
      "a stale result of request \(number): it was the key's arrival \(arrival) at upstream, "
        + "which knew of arrival \(newest) when it answered"
    case .late(let number, let newer):
      "a result of request \(number), which upstream heard of behind request \(newer) of the same session"
    case .wrongAnswer(let number): "request \(number) got the result of another"
    case .outOfOrder(let number, let after): "the result of request \(number) came after that of \(after)"
    case .unexpectedPiece(let number): "a piece of request \(number), which was not open"
    case .pieceOutOfOrder(let number, let place, let expected):
      "piece \(place) of request \(number) came where piece \(expected) was to come"
    case .wrongPieceCount(let number, let heard, let said):
      "request \(number) ended behind \(heard) pieces, and should have had \(said)"
    case .supersededByNothing(let number): "request \(number) was superseded, but nothing newer was asked"
    case .deliveredAfterCancel(let number): "the result of request \(number) came after it was taken back"
    case .nobodyWon(let number):
      "request \(number) was superseded, and so was every other that was open beside it"
    case .wrongStatus(let number, let status): "the reply to request \(number) came with status \(status)"
    case .emptyResponse(let number): "the response to request \(number) had no reply to it"
    case .neverAnswered(let count): "\(count) requests were never answered"
    }
  }
}
