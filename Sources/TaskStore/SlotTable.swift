/// Records that are named by a small number; freed ones are reused oldest first. Slot 0 is never used.
struct SlotTable<Record> {
  /// So many slots stay free before one is used again, to keep a slot's uses far apart.
  static var minimumFree: Int { 1024 }

  private(set) var records: [Record]
  private let empty: Record
  private var nextFree: [Int] = [0]
  private var firstFree = 0
  private var lastFree = 0
  private var freeCount = 0
  private let keepsDistance: Bool

  /// - Parameter keepsDistance: whether a freed slot rests until enough others are free too.
  init(empty: Record, keepsDistance: Bool) {
    self.empty = empty
    self.keepsDistance = keepsDistance
    records = [empty]
  }

  /// Slots in use.
  var count: Int { records.count - 1 - freeCount }

  subscript(slot: Int) -> Record {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  /// The slot to use next; its record is as the last user left it.
  mutating func take(limit: Int) -> Int {
    let mayGrow = records.count - 1 < limit
    guard freeCount == 0 || (mayGrow && keepsDistance && freeCount < Self.minimumFree) else {
      return takeOldest()
    }
    precondition(mayGrow, "the bound on tasks was not checked before taking a slot")
    records.append(empty)
    nextFree.append(0)
    return records.count - 1
  }

  private mutating func takeOldest() -> Int {
    let slot = firstFree
    firstFree = nextFree[slot]
    freeCount -= 1
    if freeCount == 0 { lastFree = 0 }
    return slot
  }

  mutating func free(_ slot: Int) {
    nextFree[slot] = 0
    if freeCount == 0 { firstFree = slot } else { nextFree[lastFree] = slot }
    lastFree = slot
    freeCount += 1
  }
}
