/// One admitted request, and the very number that upstream sees as its id.
///
/// The lower 17 bits name a slot, the 14 above count how often that slot was used before, so an id is below
/// 2³¹ and a late answer to an earlier user of the slot matches nothing.
@usableFromInline
package struct TaskID: Hashable, Sendable, BitwiseCopyable {
  @inlinable package static var slotBits: UInt32 { 17 }
  @inlinable package static var reuseBits: UInt32 { 14 }
  /// The largest number of tasks that can be told apart: slot 0 is never used, so that ids start at 1.
  package static let maximumTasks = 1 << Int(slotBits) - 1

  @usableFromInline package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  init(index: Int32, reuse: UInt16) {
    rawValue = UInt32(bitPattern: index) | UInt32(reuse) << Self.slotBits
  }

  @inlinable package var slot: Int { Int(index) }
  @inlinable var index: Int32 { Int32(bitPattern: rawValue & (1 << Self.slotBits - 1)) }
}

/// One caller's claim on a task's answer.
@usableFromInline
package struct WaiterID: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline let index: Int32

  package init(slot: Int) { index = Int32(truncatingIfNeeded: slot) }
  init(index: Int32) { self.index = index }

  @inlinable package var slot: Int { Int(index) }
}

/// An interned key: the number that the key table gave to a namespace and the bytes of a key.
@usableFromInline
package struct TaskKey: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline let index: Int32

  package init(slot: Int) { index = Int32(truncatingIfNeeded: slot) }
  init(index: Int32) { self.index = index }

  @inlinable package var slot: Int { Int(index) }
}
