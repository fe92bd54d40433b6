/// Records in one piece of memory of its own: a field of one is read and written in place.
///
/// Invariant: the first `count` of `capacity` records are initialised. Growing moves them.
// Public, not just for the package: the compiler inlines and specialises into other modules only what is public.
public struct RecordArray<Record: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Record>
  @usableFromInline var recordCount = 0
  @usableFromInline var capacity = 0

  public init() {
    base = TableMemory.allocate(8, of: Record.self)
    capacity = 8
  }

  public init(repeating record: Record, count: Int) {
    capacity = max(count, 8)
    base = TableMemory.allocate(capacity, of: Record.self)
    base.initialize(repeating: record, count: count)
    recordCount = count
  }

  deinit { TableMemory.free(base, capacity) }

  /// The same records once more, in memory of their own.
  package func copy() -> RecordArray {
    var copy = RecordArray()
    TableMemory.grow(&copy.base, &copy.capacity, to: max(capacity, 8), count: 0)
    copy.base.initialize(from: base, count: recordCount)
    copy.recordCount = recordCount
    return copy
  }

  @inlinable public var count: Int { recordCount }

  @inlinable public subscript(slot: Int32) -> Record {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: slot)) }
    @inline(__always) unsafeMutableAddress { address(of: slot) }
  }

  @inlinable @inline(__always)
  func address(of slot: Int32) -> UnsafeMutablePointer<Record> {
    // As an unsigned number a negative one is too large as well: one comparison.
    precondition(UInt(bitPattern: Int(slot)) < UInt(bitPattern: recordCount), "no such record")
    StepMeter.step()
    return base + Int(slot)
  }

  @inlinable public mutating func append(_ record: Record) {
    if recordCount == capacity { grow() }
    (base + recordCount).initialize(to: record)
    recordCount &+= 1
  }

  /// Takes the last record off.
  @inlinable public mutating func removeLast() -> Record {
    precondition(recordCount > 0, "no such record")
    recordCount -= 1
    return base[recordCount]
  }

  /// Takes all records off; their memory stays for the next.
  @inlinable public mutating func removeAll() { recordCount = 0 }

  @usableFromInline mutating func grow() {
    TableMemory.grow(&base, &capacity, to: capacity * 2, count: recordCount)
  }
}
