import Testing

@testable import Gateway

/// When loops stop together.
@Suite struct LoopBoardTests {
  private let board = LoopBoard(loops: 2)

  @Test func `they stop when neither has anything to do, and nothing is on its way`() {
    #expect(board.isQuiet(0, sent: 3, received: 0) == .no)
    // The other has not got all of it.
    #expect(board.isQuiet(1, sent: 0, received: 2) == .no)
    #expect(board.isQuiet(1, sent: 0, received: 3) == .sinceNow)
    #expect(board.isQuiet(0, sent: 3, received: 0) == .yes)
  }

  @Test func `one that has become busy holds up the other`() {
    #expect(board.isQuiet(0, sent: 0, received: 0) == .no)
    board.isBusy(0)
    #expect(board.isQuiet(1, sent: 0, received: 0) == .no)
    #expect(board.isQuiet(0, sent: 0, received: 0) == .sinceNow)
  }

  @Test func `each hears how many connections the others have`() {
    #expect(board.connections(5, of: 0) == 0)
    #expect(board.connections(2, of: 1) == 5)
    #expect(board.connections(4, of: 0) == 2)
  }

  @Test func `what is on its way to a loop is told from a quarter of that on, and what it has taken`() {
    board.count(bytes: LoopBoard.manyBytesUnderWay + 9, to: 1)
    board.took(bytes: 9, by: 1)
    #expect(board.load(of: 0) == nil)
    #expect(board.load(of: 1)?.byteCount == LoopBoard.mostBytesUnderWay / 4)
    #expect(board.load(of: 1)?.takenByteCount == 9)
    board.took(bytes: 1, by: 1)
    #expect(board.load(of: 1) == nil)
  }

  @Test func `a loop is behind while as much is on its way there as may be`() {
    board.count(bytes: LoopBoard.mostBytesUnderWay - 1, to: 1)
    #expect(!board.isBehind(0) && !board.isBehind(1))
    board.count(bytes: 1, to: 1)
    #expect(!board.isBehind(0) && board.isBehind(1))
    board.count(bytes: -1, to: 1)
    #expect(!board.isBehind(0) && !board.isBehind(1))
  }
}
