extension StaticString {
  /// The byte at `offset`, which is below `utf8CodeUnitCount`.
  @inlinable @inline(always)
  package func byte(at offset: Int) -> UInt8 {
    assert(offset < utf8CodeUnitCount)
    // Inside the string, which is never freed.
    return unsafe utf8Start[offset]
  }
}
