import HotData
import Testing

@Suite struct OutputQueueTests {
  let pool = BlockPool()

  /// Sends everything, at most `limit` bytes a call, and gives what was sent.
  private func drain(_ queue: inout OutputQueue, limit: Int = .max) -> [UInt8] {
    var sent: [UInt8] = []
    while !queue.isEmpty {
      queue.send { chunks in
        var left = limit
        for chunk in chunks {
          sent += chunk.prefix(left)
          left -= min(left, chunk.count)
        }
        return limit - left
      }
    }
    return sent
  }

  @Test(arguments: [1, 7, 16_360, 16_384, 1_000_000])
  func `what is appended is sent in order, however much is taken at once`(limit: Int) {
    var queue = OutputQueue(pool: pool)
    var expected: [UInt8] = []
    for number in 0..<20_000 {
      queue.append(decimal: UInt64(number))
      queue.append(UInt8(ascii: ","))
      expected += Array("\(number),".utf8)
    }
    queue.append("end")
    expected += Array("end".utf8)
    #expect(queue.byteCount == expected.count)
    #expect(drain(&queue, limit: limit) == expected)
    #expect(pool.blocksInUse == 0)
  }

  @Test func `numbers of every length are written in their digits, wherever a block ends`() {
    var queue = OutputQueue(pool: pool)
    var expected: [UInt8] = []
    for _ in 0..<50 {
      var power: UInt64 = 1
      for _ in 0..<20 {
        for number in [power - 1, power, power + 1, power / 7 * 3] {
          queue.append(decimal: number)
          expected += Array(String(number).utf8)
        }
        if power < 10_000_000_000_000_000_000 { power *= 10 }
      }
      queue.append(decimal: .max)
      expected += Array(String(UInt64.max).utf8)
    }
    #expect(drain(&queue) == expected)
  }

  @Test func `a write that takes everything is asked again while there is more`() {
    var queue = OutputQueue(pool: pool)
    let bytes = [UInt8](repeating: 7, count: 3 * OutputQueue.chunksPerWrite * BlockPool.blockBytes)
    queue.append(bytes.span)
    var (calls, most) = (0, 0)
    queue.send { chunks in
      calls += 1
      most = max(most, chunks.count)
      return chunks.reduce(0) { $0 + $1.count }
    }
    #expect(queue.isEmpty && calls == 4 && most == OutputQueue.chunksPerWrite)
  }

  @Test func `a write that takes nothing leaves everything`() {
    var queue = OutputQueue(pool: pool)
    queue.append("abc")
    queue.send { _ in 0 }
    #expect(queue.byteCount == 3)
    queue.append("d")
    #expect(drain(&queue) == Array("abcd".utf8))
  }

  @Test func `what is written in one go is part of the queue, or nothing of it is`() {
    var queue = OutputQueue(pool: pool)
    queue.append("a")
    let isWritten = queue.write(upTo: 40) {
      $0.append("bc")
      $0.append(decimal: 1_234)
      $0.append(Array("d".utf8).span)
      $0.append(UInt8(ascii: "e"))
    }
    queue.append("f")
    #expect(isWritten && queue.byteCount == 10)
    let isWrittenWithoutRoom = queue.write(upTo: BlockPool.blockBytes) { $0.append("g") }
    #expect(!isWrittenWithoutRoom && drain(&queue) == Array("abc1234def".utf8))
  }

  @Test func `what a block has no room for in one go begins the next`() {
    var queue = OutputQueue(pool: pool)
    var expected: [UInt8] = []
    for number in 0..<100 {
      let text = [UInt8](repeating: UInt8(number), count: 100)
      let isWritten = queue.write(upTo: 140) { $0.append(text.span) }
      expected += text
      #expect(isWritten)
      if number % 7 == 0 {
        queue.append(UInt8(255))
        expected.append(255)
      }
    }
    #expect(queue.byteCount == expected.count && drain(&queue) == expected && pool.blocksInUse == 0)
  }

  @Test func `a long message is written in one go, in as few blocks as there can be`() {
    var queue = OutputQueue(pool: pool)
    var expected: [UInt8] = []
    for number in 0..<20 {
      let text = [UInt8](repeating: UInt8(number), count: 2_000)
      let isWritten = queue.write(upTo: 2_100) { $0.append(text.span) }
      expected += text
      #expect(isWritten)
      // The first eight are in one block.
      #expect(pool.blocksInUse == 1 + number / 8)
    }
    #expect(queue.byteCount == expected.count && drain(&queue) == expected && pool.blocksInUse == 0)
  }

  @Test(arguments: [(600, 1_024), (900, 1_024), (1_000, 16_384), (4_096, 16_384)])
  func `a first message has a block of the size that it needs`(messageBytes: Int, blockBytes: Int) {
    var queue = OutputQueue(pool: pool)
    let isWritten = queue.write(upTo: messageBytes) { $0.append("a") }
    #expect(isWritten && pool.bytesInUse == blockBytes)
    queue.removeAll()
    #expect(pool.bytesInUse == 0)
  }

  @Test func `a number has the digits that it has, written in one go or in pieces`() {
    var numbers: [UInt64] = [0, 7, .max]
    var power: UInt64 = 1
    for exponent in 1...19 {
      power *= 10
      numbers += [power - 1, power, power + 1, power / 9 * UInt64(exponent % 9 + 1)]
    }
    for number in numbers {
      var whole = OutputQueue(pool: pool)
      var pieces = OutputQueue(pool: pool)
      whole.append("n")
      let isWritten = whole.write(upTo: 40) { $0.append(decimal: number) }
      pieces.append(decimal: number)
      #expect(isWritten && drain(&whole) == Array("n\(number)".utf8))
      #expect(drain(&pieces) == Array("\(number)".utf8))
    }
  }

  @Test func `removing everything, or ending, gives the blocks back`() {
    var queue = OutputQueue(pool: pool)
    queue.append([UInt8](repeating: 1, count: 100_000).span)
    // The first block is a small one.
    #expect(pool.blocksInUse == 8)
    queue.removeAll()
    #expect(queue.isEmpty && pool.blocksInUse == 0)
    func leave() {
      var other = OutputQueue(pool: pool)
      other.append("x")
    }
    leave()
    #expect(pool.blocksInUse == 0)
  }

  // MARK: Shared bytes

  @Test(arguments: [1, 100, 16_384, 1_000_000])
  func `what queues share is sent in its place, however much is taken at once`(limit: Int) {
    let text = [UInt8](repeating: 8, count: 40_000)
    var shared: SharedBytes? = SharedBytes(text.span, breaksLines: true, pool: pool)
    var expected: [[UInt8]] = [[], []]
    var first = OutputQueue(pool: pool)
    var second = OutputQueue(pool: pool)
    // Byte by byte even these take 300,000 turns.
    let rounds = limit == 1 ? 4 : 20
    func fill(_ queue: inout OutputQueue, _ expected: inout [UInt8]) {
      for number in 0..<rounds {
        queue.append(decimal: UInt64(number))
        if let shared { queue.append(shared) }
        let isWritten = queue.write(upTo: 500) { $0.append("end") }
        #expect(isWritten)
        if number % 3 == 0 { queue.append([UInt8](repeating: 9, count: 1_000).span) }
        expected += Array("\(number)".utf8) + text + Array("end".utf8)
        if number % 3 == 0 { expected += [UInt8](repeating: 9, count: 1_000) }
      }
    }
    fill(&first, &expected[0])
    fill(&second, &expected[1])
    shared = nil
    let byteCounts = [first.byteCount, second.byteCount]
    #expect(byteCounts == expected.map(\.count))
    #expect(drain(&first, limit: limit) == expected[0])
    #expect(pool.bytesInUse > text.count)
    #expect(drain(&second, limit: limit) == expected[1])
    #expect(pool.blocksInUse == 0 && pool.bytesInUse == 0)
  }

  @Test func `shared bytes count once, and an answer around them costs little`() {
    let text = [UInt8](repeating: 8, count: 1_000_000)
    let shared = SharedBytes(text.span, breaksLines: true, pool: pool)
    var queue = OutputQueue(pool: pool)
    for _ in 0..<250 {
      queue.append("{\"id\":1,\"result\":")
      queue.append(shared)
      queue.append("}")
    }
    #expect(queue.byteCount > 250 * text.count)
    #expect(pool.bytesInUse < text.count + 250 * 320)
    queue.removeAll()
    #expect(pool.bytesInUse == text.count)
  }

  @Test func `shared bytes of a line have no line break`() {
    let text = Array("[1,\r\n2]".utf8)
    var queue = OutputQueue(pool: pool)
    queue.append(SharedBytes(text.span, breaksLines: false, pool: pool))
    queue.append(SharedBytes(text.span, breaksLines: true, pool: pool))
    #expect(drain(&queue) == Array("[1,  2]".utf8) + text)
  }

  @Test func `what is in use is counted in bytes, and known to be too much`() {
    var queue = OutputQueue(pool: pool)
    pool.limitBytes = BlockPool.smallBlockBytes
    queue.append("x")
    #expect(pool.bytesInUse == BlockPool.smallBlockBytes && !pool.isOverLimit)
    queue.append([UInt8](repeating: 1, count: BlockPool.smallBlockBytes).span)
    #expect(pool.bytesInUse == BlockPool.smallBlockBytes + BlockPool.blockBytes && pool.isOverLimit)
    queue.removeAll()
    pool.giveBackMemory()
    #expect(pool.bytesInUse == 0 && !pool.isOverLimit)
  }

  @Test func `what is written to an array stands behind what it had, and in no copy of it`() {
    var text = Array("first ".utf8)
    let before = text
    let second = Array("second of more than sixteen bytes ".utf8)
    text.write(upTo: second.count + 20 + 24) {
      $0.append(second.span)
      $0.append(decimal: .max)
    }
    text.write(upTo: 1_000) { _ in }
    #expect(String(decoding: text, as: UTF8.self) == "first second of more than sixteen bytes \(UInt64.max)")
    #expect(String(decoding: before, as: UTF8.self) == "first ")
  }
}
