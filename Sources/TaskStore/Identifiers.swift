/// One admitted request, and the very number that upstream sees as its id.
///
/// The lower 17 bits name a slot, the 14 above count how often that slot was used before, so an id is below
/// 2³¹ and a late answer to an earlier user of the slot matches nothing.
package struct TaskID: Hashable, Sendable {
  package static let slotBits: UInt32 = 17
  package static let reuseBits: UInt32 = 14
  /// The largest number of tasks that can be told apart: slot 0 is never used, so that ids start at 1.
  package static let maximumTasks = 1 << Int(slotBits) - 1

  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  init(slot: Int, reuse: UInt16) {
    rawValue = UInt32(truncatingIfNeeded: slot) | UInt32(reuse) << Self.slotBits
  }

  package var slot: Int { Int(rawValue & (1 << Self.slotBits - 1)) }
  var reuse: UInt16 { UInt16(truncatingIfNeeded: rawValue >> Self.slotBits) }
}

/// One caller's claim on a task's answer.
package struct WaiterID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}

/// An interned key: the number that the key table gave to a namespace and the bytes of a key.
package struct TaskKey: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}
