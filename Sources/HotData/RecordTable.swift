/// A record that lies in lists of its kind, and in the list of the free ones while its slot is free.
public protocol LinkedRecord: BitwiseCopyable {
  /// The slot of the next one of its list; 0 at the last.
  var next: Int32 { get set }
}

/// Records that are named by a small number; freed ones are used again oldest first. Slot 0 is never used.
public struct RecordTable<Record: LinkedRecord>: ~Copyable {
  @usableFromInline var records = RecordArray<Record>()
  @usableFromInline var firstFree: Int32 = 0
  @usableFromInline var lastFree: Int32 = 0
  @usableFromInline var freeCount = 0

  /// - Parameter empty: what every record is at first. Slot 0 keeps it.
  public init(empty: Record) { records.append(empty) }

  /// The same records under the same numbers once more, and the same slots free.
  package func copy() -> RecordTable {
    var copy = RecordTable(empty: records[0])
    copy.records = records.copy()
    (copy.firstFree, copy.lastFree, copy.freeCount) = (firstFree, lastFree, freeCount)
    return copy
  }

  /// Slots in use.
  @inlinable public var count: Int { records.count &- 1 &- freeCount }

  /// Whether so many slots were used and are free.
  @inlinable public func hasFree(atLeast count: Int) -> Bool { freeCount >= count }

  /// One more than the highest slot ever used.
  @inlinable public var endSlot: Int { records.count }

  @inlinable public subscript(slot: Int32) -> Record {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: slot)) }
    @inline(__always) unsafeMutableAddress { records.address(of: slot) }
  }

  /// The slot to use next: the one that has been free for longest, if there is one.
  @inlinable @inline(__always) public mutating func take() -> Int32 {
    freeCount > 0 ? takeFree() : takeFresh()
  }

  /// A free slot; there must be one. Its record is as the last user left it, but for `next`.
  @inlinable @inline(__always) public mutating func takeFree() -> Int32 {
    let slot = firstFree
    firstFree = records[slot].next
    freeCount &-= 1
    return slot
  }

  /// A slot that nobody has used; its record is empty.
  @inlinable @inline(never) public mutating func takeFresh() -> Int32 {
    precondition(records.count < Int(Int32.max), "more records than can be numbered")
    records.append(records[0])
    return Int32(truncatingIfNeeded: records.count - 1)
  }

  @inlinable @inline(__always) public mutating func free(_ slot: Int32) {
    let last = lastFree
    lastFree = slot
    freeCount &+= 1
    if freeCount == 1 { firstFree = slot } else { records[last].next = slot }
  }
}
