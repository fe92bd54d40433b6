extension UnsafeMutableRawPointer {
  /// Copies bytes that are few more often than not: up to sixteen as two halves, which may overlap.
  @inlinable @inline(__always)
  func copyShort(from source: UnsafeRawPointer, _ byteCount: Int) {
    guard (8...16).contains(byteCount) else { return copyMemory(from: source, byteCount: byteCount) }
    let last = byteCount &- 8
    let (head, tail) = (
      source.loadUnaligned(as: UInt64.self), source.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    )
    storeBytes(of: head, as: UInt64.self)
    storeBytes(of: tail, toByteOffset: last, as: UInt64.self)
  }
}
