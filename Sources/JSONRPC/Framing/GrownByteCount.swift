extension [UInt8] {
  /// The most memory that so many bytes take in an array that grew by doubling. The real capacity depends on the
  /// allocator, and no decision may depend on that.
  package var grownByteCount: Int {
    guard count > 1 else { return count }
    return 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }
}
