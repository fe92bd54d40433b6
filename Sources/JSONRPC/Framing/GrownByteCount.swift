extension [UInt8] {
  /// How much memory so many bytes take in an array that grew with them, by doubling: up to this. What it really has
  /// depends on the allocator, and nothing that is decided may.
  package var grownByteCount: Int {
    guard count > 1 else { return count }
    return 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }
}
