/// One caller's claim on a task's answer.
@usableFromInline
package struct WaiterID: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline let index: Int32

  @inlinable package init(slot: Int) { index = Int32(truncatingIfNeeded: slot) }
  init(index: Int32) { self.index = index }

  @inlinable package var slot: Int { Int(index) }
}
