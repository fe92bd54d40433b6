import LoadTest
import TaskStore
import Testing

/// What the oracle says of answers in pieces.
@Suite struct PieceOracleTests {
  private func oracle(_ policies: [DuplicatePolicy?], connections: Int = 1) -> LoadOracle {
    var oracle = LoadOracle(connections: connections, keys: 1)
    for (index, policy) in policies.enumerated() {
      oracle.sent(OpenRequest(number: UInt64(index + 1), connection: 0, key: 0, policy: policy))
    }
    return oracle
  }

  private func piece(
    _ oracle: inout LoadOracle, _ number: UInt64, _ place: UInt64?, of claimed: UInt64? = nil,
    arrival: UInt64? = nil, newest: UInt64? = nil, on connection: Int = 0
  ) -> Violation? {
    let claims = ResultClaims(number: claimed ?? number, arrival: arrival, newest: newest)
    return oracle.gavePiece(claims, place: place, of: number, on: connection)
  }

  @Test func `pieces of an open request come in their order, and its end says how many there were`() throws {
    var oracle = oracle([.cancel])
    for place in 0..<3 as Range<UInt64> { #expect(piece(&oracle, 1, place) == nil) }
    let taken = oracle.take(1, on: 0)
    let request = try #require(taken)
    #expect(LoadOracle.judgePieces(of: request, said: nil, whole: 3) == nil)
    #expect(LoadOracle.judgePieces(of: request, said: 3, whole: nil) == nil)
    #expect(
      LoadOracle.judgePieces(of: request, said: 2, whole: nil)
        == .wrongPieceCount(number: 1, heard: 3, said: 2))
    #expect(
      LoadOracle.judgePieces(of: request, said: nil, whole: nil)
        == .wrongPieceCount(number: 1, heard: 3, said: 0))
    #expect(
      LoadOracle.judgePieces(of: request, said: nil, whole: 4)
        == .wrongPieceCount(number: 1, heard: 3, said: 4))
  }

  @Test func `a gap, a piece twice, and one that is another's are noticed`() {
    var oracle = oracle([.cancel], connections: 2)
    #expect(piece(&oracle, 1, 1) == .pieceOutOfOrder(number: 1, place: 1, expected: 0))
    #expect(piece(&oracle, 1, 1) == nil)
    #expect(piece(&oracle, 1, 1) == .pieceOutOfOrder(number: 1, place: 1, expected: 2))
    #expect(piece(&oracle, 1, 3, of: 2) == .wrongAnswer(number: 1))
    #expect(piece(&oracle, 1, 4, on: 1) == .unexpectedPiece(number: 1))
  }

  @Test func `a piece behind the end of its request is stale`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(.superseded, to: 1, on: 0) == nil)
    let violation = piece(&oracle, 1, 0)
    #expect(violation == .unexpectedPiece(number: 1) && violation?.isStaleness == true)
  }

  @Test func `so is one once a newer request of its key was answered`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(piece(&oracle, 1, 0) == nil)
    #expect(oracle.received(.result(ResultClaims(number: 2)), to: 2, on: 0) == nil)
    #expect(piece(&oracle, 1, 1) == .stale(number: 1, newer: 2))
  }

  @Test func `under onAnswer the first piece of a newer request makes those of an older one stale`() {
    var oracle = oracle([.onAnswer, .onAnswer])
    #expect(piece(&oracle, 1, 0) == nil)
    #expect(piece(&oracle, 2, 0) == nil)
    #expect(piece(&oracle, 1, 1) == .stale(number: 1, newer: 2))
  }

  @Test func `a piece is stale if upstream knew of a newer request when it gave it`() {
    var oracle = oracle([.cancel])
    #expect(piece(&oracle, 1, 0, arrival: 4, newest: 4) == nil)
    #expect(
      piece(&oracle, 1, 1, arrival: 4, newest: 5) == .overtaken(number: 1, arrival: 4, newest: 5))
  }
}
