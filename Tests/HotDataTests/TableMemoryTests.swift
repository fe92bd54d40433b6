import Glibc
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

  @Test func `the pages of a table that it outgrows are moved, and none is written anew`() {
    let byteCount = 8 * TableMemory.pagedBytes
    var records = RecordArray<Int>()
    for number in 0..<byteCount / MemoryLayout<Int>.stride { records.append(number) }
    let before = faultCount
    records.append(0)
    let written = faultCount - before
    #expect(written < byteCount / Int(getpagesize()) / 4)
  }

  /// How often this thread has written to a page for the first time.
  private var faultCount: Int {
    var usage = rusage()
    // RUSAGE_THREAD, which is not imported.
    getrusage(1, &usage)
    return usage.ru_minflt
  }

  @Test func `a record that was not written is as the table says`() {
    var array = SlotArray(empty: 7)
    array.reach(TableMemory.pagedBytes)
    let isEmpty = array.indices.allSatisfy { array[$0] == 7 }
    #expect(isEmpty)
  }
}
