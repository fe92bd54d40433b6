import Testing

@testable import HotData

@Suite struct TableMemoryTests {
  @Test func `records keep their values while a table gets pages of its own and outgrows them`() {
    let count = 4 * TableMemory.pagedBytes / MemoryLayout<Int>.stride
    var array = SlotArray(empty: -1)
    var records = RecordArray<Int>()
    var slab = Slab<String>()
    for number in 0..<count {
      array.reach(number)
      array[number] = number
      records.append(number)
      _ = slab.insert("\(number)")
    }
    let isIntact = (0..<count).allSatisfy {
      array[$0] == $0 && records[Int32($0)] == $0 && slab[$0] == "\($0)"
    }
    #expect(isIntact)
  }

  @Test func `a record that was not written is as the table says`() {
    var array = SlotArray(empty: 7)
    array.reach(TableMemory.pagedBytes)
    let isEmpty = array.indices.allSatisfy { array[$0] == 7 }
    #expect(isEmpty)
  }
}
