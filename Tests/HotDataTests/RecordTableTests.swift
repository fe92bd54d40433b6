import HotData
import Testing

@Suite struct RecordTableTests {
  @Test func `records keep what was written into them while the table grows`() {
    var table = RecordTable(empty: 0)
    var slots: [Int32] = []
    for number in 1...10_000 {
      let slot = table.take()
      table[slot] = number
      slots.append(slot)
    }
    var read: [Int] = []
    for slot in slots { read.append(table[slot]) }
    #expect(read == Array(1...10_000))
    #expect(slots == Array(1...10_000))
  }

  @Test func `slots are used again oldest first`() {
    var table = RecordTable(empty: 0)
    for _ in 1...3 { _ = table.take() }
    table.free(2)
    table.free(1)
    let count = table.count
    let taken = [table.take(), table.take(), table.take()]
    #expect(count == 1)
    #expect(taken == [2, 1, 4])
  }

  @Test func `freed slots rest until there are enough of them`() {
    var table = RecordTable(empty: 0)
    table.free(table.take())
    let second = table.take(restingCount: 2)
    table.free(second)
    let third = table.take(restingCount: 2)
    #expect([second, third] == [2, 1])
  }

  @Test func `a list begins with what it is told`() {
    var list = RecordArray(repeating: 7, count: 20)
    list.append(8)
    let last = list.removeLast()
    let kept = (0..<20).allSatisfy { list[$0] == 7 }
    let count = list.count
    #expect(last == 8 && kept && count == 20)
  }
}
