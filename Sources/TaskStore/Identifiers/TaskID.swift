/// One admitted request, and the very number that upstream sees as its id.
///
/// The lower 17 bits name a slot, the 14 above count how often that slot was used before, so that a late answer
/// to an earlier user of the slot matches nothing. Where 17 bits do not name it, the others are above those: an
/// id is below 2³¹ unless more tasks live at once than have short ids, and always below 2³⁸.
@usableFromInline
package struct TaskID: Hashable, Sendable, BitwiseCopyable {
  @inlinable static var shortSlotBits: UInt64 { 17 }
  @inlinable static var reuseBits: UInt64 { 14 }
  /// How often a slot is used until an id comes again.
  static var reuseCount: Int { 1 << Int(reuseBits) }
  @inlinable static var shortBits: UInt64 { shortSlotBits + reuseBits }
  /// Of all ids.
  @inlinable static var bits: UInt64 { 38 }
  /// Slots below this one have short ids. Slot 0 is never used, so that ids start at 1.
  static let endOfShortSlots = 1 << Int(shortSlotBits)

  @usableFromInline package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Nil if no task is ever called so.
  @inlinable package init?(exactly number: UInt64) {
    guard number < 1 << Self.bits else { return nil }
    rawValue = number
  }

  @inlinable package init(index: Int32, reuse: UInt16) {
    let slot = UInt64(truncatingIfNeeded: index)
    let low = slot & (1 << Self.shortSlotBits - 1)
    let high = slot >> Self.shortSlotBits
    rawValue = low | UInt64(reuse) << Self.shortSlotBits | high << Self.shortBits
  }

  @inlinable package var slot: Int { Int(index) }
  @inlinable var index: Int32 {
    let low = rawValue & (1 << Self.shortSlotBits - 1)
    let high = rawValue >> Self.shortBits
    return Int32(truncatingIfNeeded: low | high << Self.shortSlotBits)
  }
}
