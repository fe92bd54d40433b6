import HotData
import Testing

/// Heaps of slots, held against sorting.
@Suite struct SlotHeapsTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the lowest rank is on top, whatever comes and goes`(seed: UInt64) {
    var random = Steps(state: seed)
    var heaps = SlotHeaps()
    var tops = [0, 0]
    var inHeap: [[Int: UInt64]] = [[:], [:]]
    for step in 0..<2_000 {
      let which = Int(random.next() % 2)
      if random.next() % 5 < 3,
        let slot = (1...300).first(where: { inHeap[0][$0] == nil && inHeap[1][$0] == nil })
      {
        let rank = random.next() % 1_000 << 20 | UInt64(step)
        heaps.insert(slot, rank: rank, into: &tops[which])
        inHeap[which][slot] = rank
      } else if let slot = inHeap[which].keys.sorted().randomElement(using: &random) {
        let slot = random.next() % 2 == 0 ? tops[which] : slot
        heaps.remove(slot, from: &tops[which])
        inHeap[which][slot] = nil
      }
      let lowest = inHeap[which].min { $0.value < $1.value }?.key ?? 0
      #expect(tops[which] == lowest)
    }
  }
}

private struct Steps: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33 ^ state << 20
  }
}
