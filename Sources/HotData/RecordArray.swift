import Glibc

/// Records in one piece of memory of its own: a field of one is read and written in place.
///
/// Invariant: the first `count` of `capacity` records are initialised. Growing may move them, and needs no copy
/// where the allocator can move pages.
// Public, not just for the package: the compiler inlines and specialises into other modules only what is public.
public struct RecordArray<Record: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Record>
  @usableFromInline var recordCount = 0
  @usableFromInline var capacity = 0

  public init() {
    precondition(MemoryLayout<Record>.alignment <= 16, "the allocator aligns to no more")
    base = Self.allocate(8, replacing: nil)
    capacity = 8
  }

  public init(repeating record: Record, count: Int) {
    base = Self.allocate(max(count, 8), replacing: nil)
    base.initialize(repeating: record, count: count)
    recordCount = count
    capacity = max(count, 8)
  }

  private init(copying other: borrowing RecordArray) {
    base = Self.allocate(other.capacity, replacing: nil)
    base.initialize(from: other.base, count: other.recordCount)
    (recordCount, capacity) = (other.recordCount, other.capacity)
  }

  deinit { free(base) }

  /// The same records once more, in memory of their own.
  package func copy() -> RecordArray { RecordArray(copying: self) }

  @inlinable public var count: Int { recordCount }

  @inlinable public subscript(slot: Int32) -> Record {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: slot)) }
    @inline(__always) unsafeMutableAddress { address(of: slot) }
  }

  @inlinable @inline(__always)
  func address(of slot: Int32) -> UnsafeMutablePointer<Record> {
    // As an unsigned number a negative one is too large as well: one comparison.
    precondition(UInt(bitPattern: Int(slot)) < UInt(bitPattern: recordCount), "no such record")
    return base + Int(slot)
  }

  @inlinable public mutating func append(_ record: Record) {
    if recordCount == capacity { grow() }
    (base + recordCount).initialize(to: record)
    recordCount += 1
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
    base = Self.allocate(capacity * 2, replacing: base)
    capacity *= 2
  }

  /// Out of memory is the one thing that nobody can go on from.
  private static func allocate(
    _ capacity: Int, replacing old: UnsafeMutablePointer<Record>?
  ) -> UnsafeMutablePointer<Record> {
    guard let memory = realloc(old, capacity * MemoryLayout<Record>.stride) else {
      fatalError("out of memory")
    }
    return memory.assumingMemoryBound(to: Record.self)
  }
}
