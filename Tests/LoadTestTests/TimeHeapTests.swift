import LoadTest
import Testing

@Suite struct TimeHeapTests {
  @Test func `the earliest comes first, and of one time the smallest number`() {
    var heap = TimeHeap()
    var random = LoadRandom(seed: 1)
    var expected: [TimeHeap.Entry] = []
    for number in 0..<1_000 {
      let time = UInt64(random.below(100))
      heap.insert(number, at: time)
      expected.append(.init(nanoseconds: time, number: number))
    }
    expected.sort { ($0.nanoseconds, $0.number) < ($1.nanoseconds, $1.number) }
    var taken: [TimeHeap.Entry] = []
    while let entry = heap.removeFirst() { taken.append(entry) }
    #expect(taken == expected)
  }
}
