/// Checks pieces of answers: each must belong to an open request, come in order, and not be stale.
extension LoadOracle {
  /// A piece came.
  /// - Parameters:
  ///   - place: its number within its request, from 0 on; nil: it has none.
  ///   - change: changes the request, to note the piece.
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
  ///   - said: the number of pieces that the end of the request reports; nil: it reports none.
  ///   - whole: the number of pieces of a whole answer; nil: the request ended before.
  package static func judgePieces(of request: OpenRequest, said: UInt64?, whole: UInt64?) -> Violation? {
    let right = whole ?? said ?? 0
    guard request.pieceCount != right else { return nil }
    return .wrongPieceCount(number: request.number, heard: request.pieceCount, said: right)
  }
}
