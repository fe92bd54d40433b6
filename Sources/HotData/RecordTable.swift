/// Records that are named by a small number; freed ones are used again oldest first. Slot 0 is never used.
public struct RecordTable<Record: BitwiseCopyable>: ~Copyable {
  @usableFromInline var records = RecordArray<Record>()
  /// What was freed after each free slot; 0 at the last.
  @usableFromInline var nextFree = RecordArray<Int32>()
  @usableFromInline var firstFree: Int32 = 0
  @usableFromInline var lastFree: Int32 = 0
  @usableFromInline var freeCount = 0
  @usableFromInline let empty: Record

  public init(empty: Record) {
    self.empty = empty
    records.append(empty)
    nextFree.append(0)
  }

  /// The same records under the same numbers once more, and the same slots free.
  package func copy() -> RecordTable {
    var copy = RecordTable(empty: empty)
    copy.records = records.copy()
    copy.nextFree = nextFree.copy()
    (copy.firstFree, copy.lastFree, copy.freeCount) = (firstFree, lastFree, freeCount)
    return copy
  }

  /// Slots in use.
  @inlinable public var count: Int { records.count - 1 - freeCount }

  /// One more than the highest slot ever used.
  @inlinable public var endSlot: Int { records.count }

  @inlinable public subscript(slot: Int32) -> Record {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: slot)) }
    @inline(__always) unsafeMutableAddress { records.address(of: slot) }
  }

  /// The slot to use next; its record is as the last user left it.
  /// - Parameter restingCount: with fewer free slots than that a fresh one is used, to keep a slot's uses far apart.
  @inlinable @inline(__always) public mutating func take(restingCount: Int = 0) -> Int32 {
    guard freeCount >= max(restingCount, 1) else { return takeFresh() }
    let slot = firstFree
    firstFree = nextFree[slot]
    freeCount -= 1
    return slot
  }

  @inlinable mutating func takeFresh() -> Int32 {
    precondition(records.count < Int(Int32.max), "more records than can be numbered")
    records.append(empty)
    nextFree.append(0)
    return Int32(truncatingIfNeeded: records.count - 1)
  }

  @inlinable @inline(__always) public mutating func free(_ slot: Int32) {
    nextFree[slot] = 0
    if freeCount == 0 { firstFree = slot } else { nextFree[lastFree] = slot }
    lastFree = slot
    freeCount += 1
  }
}
