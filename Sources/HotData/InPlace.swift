/// A value that an object holds and uses for every message.
///
/// A stored `var` of an object is checked for overlapping accesses at each use, which costs more than most uses. The
/// holder of one of these promises instead that no use of it begins before the last one has ended.
@usableFromInline
package struct InPlace<Value: ~Copyable>: ~Copyable {
  @usableFromInline let pointer: UnsafeMutablePointer<Value>

  package init(_ value: consuming Value) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: value)
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  @inlinable
  package var value: Value {
    @inline(__always) unsafeAddress { UnsafePointer(pointer) }
    @inline(__always) nonmutating unsafeMutableAddress { pointer }
  }
}
