/// Values by time, the earliest first; of equal times the smaller number first.
package struct TimeHeap: Sendable {
  package struct Entry: Hashable, Sendable {
    package var nanoseconds: UInt64
    package var number: Int

    package init(nanoseconds: UInt64, number: Int) {
      self.nanoseconds = nanoseconds
      self.number = number
    }

    static func isEarlier(_ a: Entry, _ b: Entry) -> Bool {
      (a.nanoseconds, a.number) < (b.nanoseconds, b.number)
    }
  }

  private var entries: [Entry] = []

  package init() {}

  package var first: Entry? { entries.first }
  package var count: Int { entries.count }

  package mutating func insert(_ number: Int, at nanoseconds: UInt64) {
    entries.append(Entry(nanoseconds: nanoseconds, number: number))
    siftUp(entries.count - 1)
  }

  package mutating func removeFirst() -> Entry? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    if !entries.isEmpty {
      entries[0] = last
      siftDown()
    }
    return first
  }

  /// Changes the time of the first value.
  package mutating func moveFirst(to nanoseconds: UInt64) {
    entries[0].nanoseconds = nanoseconds
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var place = start
    while place > 0, Entry.isEarlier(entries[place], entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func siftDown() {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < entries.count else { return }
      if child + 1 < entries.count, Entry.isEarlier(entries[child + 1], entries[child]) { child += 1 }
      guard Entry.isEarlier(entries[child], entries[place]) else { return }
      entries.swapAt(place, child)
      place = child
    }
  }
}
