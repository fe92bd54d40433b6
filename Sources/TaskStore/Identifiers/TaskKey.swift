/// An interned key: the number that the key table gave to a namespace and the bytes of a key.
@usableFromInline
package struct TaskKey: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline let index: Int32

  @inlinable package init(slot: Int) { index = Int32(truncatingIfNeeded: slot) }
  init(index: Int32) { self.index = index }

  @inlinable package var slot: Int { Int(index) }
}
