import HotData
import Testing

private struct Entry: LinkedRecord {
  var number = 0
  var next: Int32 = 0
}

@Suite struct RecordTableTests {
  @Test func `records keep what was written into them while the table grows`() {
    var table = RecordTable(empty: Entry())
    var slots: [Int32] = []
    for number in 1...10_000 {
      let slot = table.take()
      table[slot].number = number
      slots.append(slot)
    }
    var read: [Int] = []
    for slot in slots { read.append(table[slot].number) }
    #expect(read == Array(1...10_000))
    #expect(slots == Array(1...10_000))
  }

  @Test func `slots are used again oldest first`() {
    var table = RecordTable(empty: Entry())
    for _ in 1...3 { _ = table.take() }
    table.free(2)
    table.free(1)
    let count = table.count
    let taken = [table.take(), table.take(), table.take()]
    #expect(count == 1)
    #expect(taken == [2, 1, 4])
  }

  @Test func `a fresh slot can be had while others are free`() {
    var table = RecordTable(empty: Entry())
    table[table.take()].number = 1
    table.free(1)
    let (hasOne, hasTwo) = (table.hasFree(atLeast: 1), table.hasFree(atLeast: 2))
    let fresh = table.takeFresh()
    let (number, next) = (table[fresh].number, table.take())
    #expect(hasOne && !hasTwo)
    #expect(fresh == 2 && number == 0 && next == 1)
  }

  @Test func `a copy holds the same and goes its own way`() {
    var table = RecordTable(empty: Entry())
    for number in 1...100 { table[table.take()] = Entry(number: number) }
    for slot in [40, 20, 30] as [Int32] { table.free(slot) }
    var copy = table.copy()
    var read: [Int] = []
    for slot in 1...100 as ClosedRange<Int32> { read.append(copy[slot].number) }
    #expect(read == Array(1...100))
    let (count, endSlot) = (copy.count, copy.endSlot)
    #expect(count == 97 && endSlot == 101)
    let taken = [copy.take(), copy.take(), copy.take(), copy.take()]
    #expect(taken == [40, 20, 30, 101])
    copy[1].number = -1
    table.free(50)
    let (kept, takenThere) = (table[1].number, [table.take(), table.take(), table.take(), table.take()])
    #expect(kept == 1 && takenThere == [40, 20, 30, 50])
  }

  @Test func `a list and its copy grow apart`() {
    var list = RecordArray<Int>()
    for number in 0..<8 { list.append(number) }
    var copy = list.copy()
    for number in 8..<1_000 { copy.append(number) }
    list[0] = -1
    _ = list.removeLast()
    let same = (0..<1_000).allSatisfy { copy[$0] == Int($0) }
    let (count, copied) = (list.count, copy.count)
    #expect(same && count == 7 && copied == 1_000)
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
