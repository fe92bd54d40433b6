import Testing

@testable import LibUV

@Suite struct ReadingRoundTests {
  private let whole = EventLoop.defaultTurnBytes
  private let part = EventLoop.defaultTurnBytes / ReadingRound.crowdedPart
  private var round = ReadingRound()

  /// Reads all that may be read of a connection, and says how much that is.
  private mutating func read(_ share: inout ReadingShare, _ reader: ByteStream.Reader = .client) -> Int {
    var sum = 0
    while true {
      let room = round.room(for: &share, of: whole, reader)
      guard room > 0 else { return sum }
      share.spend(room)
      sum += room
    }
  }

  /// Connections of whom so much came in the last turn.
  private mutating func connections(_ count: Int, thatSent byteCount: Int) -> [ReadingShare] {
    let shares = (0..<count).map { _ in
      var share = ReadingShare()
      _ = round.room(for: &share, of: whole, .client)
      share.spend(byteCount)
      return share
    }
    round.turnEnded()
    return shares
  }

  @Test mutating func `the share is new in every turn, and no read is larger than the buffer`() {
    var share = ReadingShare()
    for _ in 1...10 {
      let room = round.room(for: &share, of: whole, .client)
      let sum = read(&share)
      #expect(room == EventLoop.readBufferBytes && sum == whole)
      round.turnEnded()
    }
  }

  @Test mutating func `what is thrown away of all connections together is one share in a turn`() {
    var client = ReadingShare()
    for _ in 1...3 {
      var sum = 0
      while case let room = round.roomForNobody(of: whole), room > 0 {
        round.spendDiscarded(room)
        sum += room
      }
      let ofAClient = round.room(for: &client, of: whole, .client)
      #expect(sum == whole && ofAClient == EventLoop.readBufferBytes)
      round.turnEnded()
    }
  }

  @Test mutating func `what is left of a share is read in a read in which it shows who sends much`() {
    var share = ReadingShare()
    _ = round.room(for: &share, of: whole, .client)
    share.spend(whole - 1)
    let room = round.room(for: &share, of: whole, .client)
    share.spend(room)
    let none = round.room(for: &share, of: whole, .client)
    #expect(room == ReadingShare.littleBytes + 1 && none == 0)
  }

  @Test mutating func `who was passed over is read from before anybody is for the second time`() {
    var shares = connections(3, thatSent: whole)
    let first = read(&shares[0])
    round.endEarly()
    let passedOver = read(&shares[1])
    round.turnEnded()
    let again = read(&shares[0])
    let second = read(&shares[1])
    round.endEarly()
    let passedOverAgain = read(&shares[2])
    round.turnEnded()
    let behind = (read(&shares[0]), read(&shares[1]), read(&shares[2]))
    #expect(first == whole && passedOver == 0 && again == 0 && second == part && passedOverAgain == 0)
    #expect(behind == (0, 0, part))
  }

  @Test mutating func `a round behind a long one has small shares, and the one behind that whole ones`() {
    var shares = connections(2, thatSent: whole)
    _ = read(&shares[0])
    round.endEarly()
    _ = read(&shares[1])
    round.turnEnded()
    _ = read(&shares[1])
    round.turnEnded()
    let behind = (read(&shares[0]), read(&shares[1]))
    round.turnEnded()
    let atLast = (read(&shares[0]), read(&shares[1]))
    #expect(behind == (part, part) && atLast == (whole, whole))
  }

  @Test mutating func `a turn that ends early is none too many where nobody waited`() {
    var share = ReadingShare()
    _ = read(&share)
    round.endEarly()
    _ = read(&share)
    round.turnEnded()
    let next = read(&share)
    #expect(next == whole)
  }

  @Test(arguments: [ReadingShare.littleBytes, ReadingShare.littleBytes + 1])
  mutating func `a client that sends little is not passed over`(byteCount: Int) {
    var share = connections(1, thatSent: byteCount)[0]
    round.endEarly()
    let read = round.room(for: &share, of: whole, .client)
    #expect((read > 0) == (byteCount <= ReadingShare.littleBytes))
  }

  @Test mutating func `a client of whom nothing was read yet is passed over once`() {
    var share = ReadingShare()
    round.endEarly()
    let atFirst = read(&share)
    round.turnEnded()
    let then = read(&share)
    #expect(atFirst == 0 && then == part)
  }

  @Test mutating func `a client that sends little has room in each turn of a long round`() {
    var little = connections(1, thatSent: 1)[0]
    var others = connections(100, thatSent: whole)
    for number in others.indices {
      _ = read(&others[number])
      round.endEarly()
      if number + 1 < others.count { _ = read(&others[number + 1]) }
      let room = round.room(for: &little, of: whole, .client)
      #expect(room > ReadingShare.littleBytes)
      little.spend(ReadingShare.littleBytes)
      round.turnEnded()
    }
    // More than little is read of it at once, and it waits as others do.
    round.endEarly()
    little.spend(ReadingShare.littleBytes + 1)
    let none = round.room(for: &little, of: whole, .client)
    #expect(none == 0)
  }

  @Test mutating func `without any time left no client is read from, and all are in the next turn`() {
    var (little, much) = (connections(1, thatSent: 1)[0], connections(1, thatSent: whole)[0])
    round.endAtOnce()
    let none = (read(&little), read(&much), read(&much, .own))
    #expect(none.0 == 0 && none.1 == 0 && none.2 == whole)
    round.turnEnded()
    let room = round.room(for: &little, of: whole, .client)
    #expect(room > 0)
  }

  @Test mutating func `a round ends though others keep connecting`() {
    var shares = connections(4, thatSent: whole)
    var newcomers: [ReadingShare] = []
    // There is time for one in each turn.
    for number in shares.indices {
      _ = read(&shares[number])
      if number > 0 {
        newcomers.append(ReadingShare())
        let early = read(&newcomers[number - 1])
        #expect(early == 0)
      }
      round.endEarly()
      for other in shares.indices { _ = read(&shares[other]) }
      round.turnEnded()
    }
    for number in newcomers.indices {
      let then = read(&newcomers[number])
      #expect(then == part)
    }
  }

  @Test mutating func `what is no client is not passed over, and keeps its whole share`() {
    var shares = connections(2, thatSent: whole)
    round.endEarly()
    let inTheTurn = (read(&shares[0]), read(&shares[1], .own))
    round.turnEnded()
    _ = read(&shares[0])
    round.turnEnded()
    let next = (read(&shares[0]), read(&shares[1], .own))
    #expect(inTheTurn == (0, whole) && next == (part, whole))
  }

  @Test mutating func `what is no client has its whole share in each turn of a long round`() {
    var shares = connections(3, thatSent: whole)
    for _ in 1...2 {
      let other = read(&shares[0], .own)
      #expect(other == whole)
      round.endEarly()
      _ = (read(&shares[1]), read(&shares[2]))
      round.turnEnded()
    }
  }
}
