/// Where a handler gives its caller some of the answer before it is whole.
///
/// Pieces reach those callers only who say `task.stream` and still wait, in the order in which they were given, and each
/// before the answer; nobody else misses anything, for the answer comes all the same. A value is shared by the tasks of
/// one handler as they like.
public struct Pieces<Piece: Encodable & SendableMetatype>: Sendable {
  private let texts: AnswerText
  private let send: @Sendable ([UInt8]) -> Void

  init(_ texts: AnswerText, _ send: @escaping @Sendable ([UInt8]) -> Void) {
    self.texts = texts
    self.send = send
  }

  /// Gives one more piece. Longer than `pieceBytes` it ends the request with -32084.
  ///
  /// - Throws: `CancellationError` once nobody wants the answer any more; what cannot be encoded, as it is thrown.
  public func give(_ piece: Piece) throws {
    try Task.checkCancellation()
    send(try texts.checked(try AnswerText.encode(piece)))
  }

  /// Gives each element as a piece, as it comes, and ends with the sequence.
  ///
  /// - Throws: what the sequence throws, and what ``give(_:)`` does.
  public func give<Elements: AsyncSequence>(all elements: Elements) async throws
  where Elements.Element == Piece {
    for try await piece in elements { try give(piece) }
  }
}
