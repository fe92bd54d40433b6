/// Sends parts of an answer to the caller before the whole answer.
///
/// Pieces reach only callers that have `"stream": true` in their `task` and still wait for the answer: in the order in
/// which they were given, and all before the answer. Other callers get the answer alone, so it should not depend on the
/// pieces. Several tasks of one handler may share a value and give pieces at the same time.
public struct Pieces<Piece: Encodable & SendableMetatype>: Sendable {
  private let texts: AnswerText
  private let send: @Sendable ([UInt8]) -> Void

  init(_ texts: AnswerText, _ send: @escaping @Sendable ([UInt8]) -> Void) {
    self.texts = texts
    self.send = send
  }

  /// Gives one more piece, encoded as JSON of at most 64 KiB. A longer one ends the request with the error -32084.
  ///
  /// - Throws: `CancellationError` once nobody wants the answer any more; the encoder's error if the piece cannot be
  ///   encoded; another error if its JSON is longer than ``GatewayOptions/messageBytes`` less 32 KiB, or has more than
  ///   127 levels of arrays and objects.
  public func give(_ piece: Piece) throws {
    try Task.checkCancellation()
    send(try texts.checked(try AnswerText.encode(piece)))
  }

  /// Gives each element of a sequence as a piece, as soon as it comes. Returns when the sequence ends.
  ///
  /// - Throws: The errors of the sequence, and those of ``give(_:)``.
  public func give<Elements: AsyncSequence>(all elements: Elements) async throws
  where Elements.Element == Piece {
    for try await piece in elements { try give(piece) }
  }
}
