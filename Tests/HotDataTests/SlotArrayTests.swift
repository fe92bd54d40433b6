import HotData
import Testing

@Suite struct SlotArrayTests {
  private final class Probe {}

  /// As the gateway's core holds its tables, in another module than theirs.
  private struct Holder: ~Copyable {
    var records: SlotArray<Probe>
  }

  @Test func `records end with their table, wherever that lies`() {
    weak var alone: Probe?
    weak var held: Probe?
    func end() {
      let (first, second) = (Probe(), Probe())
      (alone, held) = (first, second)
      let records = SlotArray(empty: first)
      let holder = Holder(records: SlotArray(empty: second, count: 100))
      #expect(records.count == 1 && holder.records.count == 100)
    }
    end()
    #expect(alone == nil && held == nil)
  }

  @Test func `a slot is there once it was reached, as empty as all are at first`() {
    var records = SlotArray(empty: 7, count: 0)
    records.reach(1_000)
    records[1_000] = 8
    records.reach(500)
    #expect(records.count == 1_001 && records[500] == 7 && records[1_000] == 8)
    records.reach(100_000)
    #expect(records[1_000] == 8 && records[100_000] == 7)
  }
}
