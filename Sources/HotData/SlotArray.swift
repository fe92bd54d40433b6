/// Records that are found by a small number, in memory of their own: a field is one bounds check and one load away.
///
/// Invariant: the first `count` records of `base` are initialised, and no others.
@usableFromInline package struct SlotArray<Record>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Record>
  @usableFromInline var capacity: Int
  @usableFromInline package private(set) var count: Int
  /// What every record is at first. Behind a pointer: debug builds of other modules skip the `deinit` of a struct in
  /// which a value of its own parameter lies.
  private let empty: UnsafeMutablePointer<Record>

  /// - Parameter empty: what every record is at first.
  package init(empty: Record, count: Int = 1) {
    self.empty = .allocate(capacity: 1)
    self.empty.initialize(to: empty)
    self.count = count
    capacity = max(count, 8)
    base = TableMemory.allocate(capacity, of: Record.self)
    base.initialize(repeating: empty, count: count)
  }

  deinit {
    base.deinitialize(count: count)
    TableMemory.free(base, capacity)
    empty.deinitialize(count: 1)
    empty.deallocate()
  }

  @inlinable package var indices: Range<Int> { 0..<count }

  @inlinable
  package subscript(slot: Int) -> Record {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: slot)) }
    @inline(__always) unsafeMutableAddress { address(of: slot) }
  }

  @inlinable @inline(__always)
  func address(of slot: Int) -> UnsafeMutablePointer<Record> {
    precondition(UInt(bitPattern: slot) < UInt(bitPattern: count), "no such slot")
    StepMeter.step()
    return base + slot
  }

  /// Makes room for a slot, if there is none yet.
  @inlinable @inline(__always)
  package mutating func reach(_ slot: Int) {
    if slot >= count { grow(to: slot + 1) }
  }

  @usableFromInline @inline(never)
  mutating func grow(to wanted: Int) {
    if wanted > capacity {
      TableMemory.grow(&base, &capacity, to: max(wanted, capacity * 2), count: count)
    }
    (base + count).initialize(repeating: empty.pointee, count: wanted - count)
    count = wanted
  }
}
