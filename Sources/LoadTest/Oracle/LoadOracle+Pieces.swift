/// Answers that come in pieces: each of an open request, in its order, and none that a newer one had overtaken.
extension LoadOracle {
  /// A piece came.
  /// - Parameters:
  ///   - place: the how-many-eth it is of its request, from 0 on; nil: it does not say.
  ///   - change: notes what is to be known of it with its request.
  package mutating func gavePiece(
    _ claims: ResultClaims, place: UInt64?, of number: UInt64, on connection: Int,
    _ change: (inout OpenRequest) -> Void = { _ in }
  ) -> Violation? {
    let wasOpen = open.update(number) { request -> (request: OpenRequest, expected: UInt64)? in
      guard request.connection == Int32(connection) else { return nil }
      let expected = request.pieceCount
      request.pieceCount += 1
      change(&request)
      return (request, expected)
    }
    guard case .some(.some(let (request, expected))) = wasOpen else {
      return .unexpectedPiece(number: number)
    }
    guard claims.number == number else { return .wrongAnswer(number: number) }
    guard place == expected else {
      return .pieceOutOfOrder(number: number, place: place ?? 0, expected: expected)
    }
    return judgePiece(claims, request)
  }

  /// - Parameters:
  ///   - said: so many its end says that there were; nil: it says nothing of it.
  ///   - whole: so many there should have been; nil: it has ended before.
  package static func judgePieces(of request: OpenRequest, said: UInt64?, whole: UInt64?) -> Violation? {
    let right = whole ?? said ?? 0
    guard request.pieceCount != right else { return nil }
    return .wrongPieceCount(number: request.number, heard: request.pieceCount, said: right)
  }
}
