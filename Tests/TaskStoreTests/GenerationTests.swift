import HotData
import TaskStore
import Testing

/// How tasks are counted under the epochs of a partition.
@Suite struct GenerationTests {
  private static let bits: UInt64 = 33

  private func submit(_ store: inout TaskStore) -> UInt64 {
    var effects = TaskEffects()
    guard case .admitted(let task, _) = store.submit(Admission(key: nil), effects: &effects) else { return 0 }
    return store.generation(of: task)
  }

  @Test func `above the counter stands the epoch, and it goes on from one partition to the other`() {
    var store = TaskStore()
    store.beginGenerations(of: 7)
    #expect(submit(&store) == 7 << Self.bits + 1)
    store.beginGenerations(of: 3)
    #expect(submit(&store) == 3 << Self.bits + 2)
    store.beginGenerations(of: 7)
    #expect(submit(&store) == 7 << Self.bits + 3)
    #expect(store.generationCount == 3 && store.startOfEpoch == 0)
  }

  @Test func `where the counter begins anew a later epoch is counted from there, and an earlier one is not`()
  {
    var store = TaskStore()
    store.beginGenerations(of: 7)
    let before = submit(&store)
    store.skipGenerations(TaskStore.generationsPerEpoch - 3)
    let start = store.startOfEpoch
    #expect(start == TaskStore.generationsPerEpoch / 2)
    store.beginGenerations(of: 7)
    let last = submit(&store)
    #expect(last == 7 << Self.bits + TaskStore.generationsPerEpoch - 1)
    // One more of it would be of another epoch; what began later has half of its own left.
    store.beginGenerations(of: 8, from: start)
    let next = submit(&store)
    #expect(next == 8 << Self.bits + TaskStore.generationsPerEpoch / 2)
    #expect(before < last && last < next)
    #expect(TaskStore.epoch(of: last) == 7 && TaskStore.epoch(of: next) == 8)
    #expect(store.generationCount == TaskStore.generationsPerEpoch)
    #expect(store.startOfEpoch == TaskStore.generationsPerEpoch)
  }
}
