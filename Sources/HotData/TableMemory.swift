import CPages
import Glibc

/// The memory of one table: a large table has pages of its own, of which only the written ones count, and which go back
/// to the system when the table has outgrown them.
enum TableMemory {
  /// From this size on a table has its own pages; between the allocator's other memory it would leave holes.
  static let pagedBytes = 128 * 1024

  static func allocate<Record: ~Copyable>(_ capacity: Int, of type: Record.Type) -> UnsafeMutablePointer<
    Record
  > {
    let byteCount = capacity * MemoryLayout<Record>.stride
    guard byteCount >= pagedBytes else { return .allocate(capacity: capacity) }
    let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return bind(pages, to: capacity)
  }

  private static func bind<Record: ~Copyable>(
    _ pages: UnsafeMutableRawPointer?, to capacity: Int
  ) -> UnsafeMutablePointer<Record> {
    // Out of memory is the one thing that nobody can go on from.
    guard let pages, pages != MAP_FAILED else { fatalError("out of memory") }
    return pages.bindMemory(to: Record.self, capacity: capacity)
  }

  /// - Parameter capacity: what it was allocated with.
  static func free<Record: ~Copyable>(_ base: UnsafeMutablePointer<Record>, _ capacity: Int) {
    let byteCount = capacity * MemoryLayout<Record>.stride
    if byteCount >= pagedBytes { munmap(base, byteCount) } else { base.deallocate() }
  }

  /// Moves the first `count` records to a place for more of them. Pages move as they are: many tables grow at the same
  /// number of tasks, and to copy all of them would hold up a turn. What is moved so holds no weak references.
  static func grow<Record: ~Copyable>(
    _ base: inout UnsafeMutablePointer<Record>, _ capacity: inout Int, to larger: Int, count: Int
  ) {
    let stride = MemoryLayout<Record>.stride
    if capacity * stride >= pagedBytes && larger >= capacity {
      (base, capacity) = (bind(cpages_grow(base, capacity * stride, larger * stride), to: larger), larger)
      return
    }
    let moved = allocate(larger, of: Record.self)
    moved.moveInitialize(from: base, count: count)
    free(base, capacity)
    (base, capacity) = (moved, larger)
  }
}
