/// Something that must not happen.
package enum Violation: Hashable, Sendable {
  /// A reply to nothing: never asked on this connection, or answered before.
  case unexpectedReply(number: UInt64)
  /// A result came although a newer request of the key had surely superseded it.
  case stale(number: UInt64, newer: UInt64)
  /// A result came although upstream had already heard of a newer request when it gave it.
  case overtaken(number: UInt64, arrival: UInt64, newest: UInt64)
  /// A result came although the request had come behind a newer one of its client, which had superseded it.
  case late(number: UInt64, newer: UInt64)
  /// The result of another request.
  case wrongAnswer(number: UInt64)
  /// What waits for everything earlier was answered, and then something earlier was.
  case outOfOrder(number: UInt64, after: UInt64)
  /// Superseded, and nothing newer was asked.
  case supersededByNothing(number: UInt64)
  /// A result came although the client had taken the request back, and later requests had been answered.
  case deliveredAfterCancel(number: UInt64)
  /// All requests of a key that were open together were superseded: none took the others' place.
  case nobodyWon(number: UInt64)
  /// The status of the response is not that of such a reply.
  case wrongStatus(number: UInt64, status: Int)
  /// The response to a POST had no reply to its request.
  case emptyResponse(number: UInt64)
  /// Still unanswered long after the last request.
  case neverAnswered(count: Int)

  /// Whether a result reached somebody although a newer one was to take its place.
  package var isStaleness: Bool {
    switch self {
    case .stale, .overtaken: true
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
