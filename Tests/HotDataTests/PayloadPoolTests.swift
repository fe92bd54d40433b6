import Testing

@testable import HotData

@Suite struct PayloadPoolTests {
  @Test func `a freed piece is used again for any count of its class`() {
    var pool = PayloadPool()
    for (first, second) in [
      (1, 24), (25, 40), (1_001, 1_016), (1_017, 1_024), (1_025, 2_048), (40_000, 65_536),
    ] {
      let piece = pool.take(first)
      pool.give(piece, first)
      let again = pool.take(second)
      #expect(again == piece)
      pool.give(again, second)
    }
  }

  @Test func `every count gets as many bytes as it asks for, and no two pieces overlap`() {
    var pool = PayloadPool()
    let counts = Array(1...1_100) + [2_047, 2_048, 2_049, 65_535, 65_536, 65_537, 200_000]
    let pieces = counts.map { pool.take($0) }
    for (index, count) in counts.enumerated() {
      pieces[index].initialize(repeating: UInt8(truncatingIfNeeded: index), count: count)
    }
    for (index, count) in counts.enumerated() {
      let bytes = UnsafeBufferPointer(start: pieces[index], count: count)
      let isIntact = bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: index) }
      #expect(isIntact)
      pool.give(pieces[index], count)
    }
    let free = pool.freeByteCount
    #expect(free > 0)
  }

  @Test func `large pieces go back a few at a time, and are used again until then`() {
    var pool = PayloadPool()
    let (large, larger) = (100_000, 1 << 20)
    let pieces = [large, larger, larger].map { pool.take($0) }
    for (piece, count) in zip(pieces, [large, larger, larger]) {
      piece.initialize(repeating: 1, count: count)
      pool.give(piece, count)
    }
    // Of the same class, the one that was given last.
    let again = pool.take(larger - 1)
    #expect(again == pieces[2])
    let other = pool.take(large)
    #expect(other != pieces[0] && other != pieces[1])
    pool.give(again, larger - 1)
    pool.giveBackReleased(upTo: 1)
    var isHeld = pool.holdsReleased
    #expect(isHeld)
    pool.giveBackReleased(upTo: larger + 1)
    isHeld = pool.holdsReleased
    #expect(!isHeld)
    PayloadPool.free(other, large)
  }

  @Test func `what is kept for reuse is bounded, and large pieces never are kept`() {
    var pool = PayloadPool()
    let large = pool.take(PayloadPool.largestBytes + 1)
    pool.give(large, PayloadPool.largestBytes + 1)
    var free = pool.freeByteCount
    #expect(free == 0)
    let count = PayloadPool.retainedBytes / 1_024 + 100
    let pieces = (0..<count).map { _ in pool.take(1_024) }
    for piece in pieces { pool.give(piece, 1_024) }
    free = pool.freeByteCount
    #expect(free == PayloadPool.retainedBytes)
  }
}
