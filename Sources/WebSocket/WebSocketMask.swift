/// The four bytes that those of a frame are combined with in turn (RFC 6455 section 5.3): to mask is to unmask.
package struct WebSocketMask: Equatable, Sendable {
  /// What frames of a server have.
  package static let none = WebSocketMask(bits: 0)

  /// The byte for what comes next is the lowest.
  package private(set) var bits: UInt32

  /// - Parameter bits: the byte that is sent first is the lowest.
  package init(bits: UInt32) { self.bits = bits }

  /// Takes one of its four bytes as it comes.
  mutating func shiftIn(_ byte: UInt8) { bits = bits &>> 8 | UInt32(byte) &<< 24 }

  /// Appends the bytes inside `range`, masked or unmasked, and goes on to what follows them.
  ///
  /// Returns whether all that was appended is ASCII.
  @discardableResult
  package mutating func append(_ range: Range<Int>, of bytes: Span<UInt8>, to output: inout [UInt8]) -> Bool {
    guard !range.isEmpty else { return true }
    let source = bytes.extracting(range)
    var seen: UInt64 = 0
    output.append(addingCapacity: source.count) { output in
      // It has room for as many bytes as there are, and the closure fills all of it.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
        seen = unsafe combine(source, into: UnsafeMutableRawBufferPointer(buffer))
        initializedCount = source.count
      }
    }
    turn(by: source.count)
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Sixteen bytes together, then eight; the last eight may be in part the same as those before them.
  ///
  /// Returns the bits of all.
  private func combine(_ source: Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> UInt64 {
    let count = source.count
    precondition(count <= target.count, "there is no room")
    guard count >= 8 else { return unsafe combineFew(source, into: target) }
    let mask = SIMD2(repeating: Self.twice(bits).littleEndian)
    var seen = SIMD2<UInt64>.zero
    var offset = 0
    while offset <= count &- 16 {
      seen |= unsafe Self.combine(mask, source, into: target, at: offset)
      offset &+= 16
    }
    var rest: UInt64 = 0
    if offset <= count &- 8 {
      rest = unsafe Self.combine(mask.x, source, into: target, at: offset)
      offset &+= 8
    }
    if offset < count {
      let mask = Self.twice(turned(by: count)).littleEndian
      rest |= unsafe Self.combine(mask, source, into: target, at: count &- 8)
    }
    return seen.x | seen.y | rest
  }

  private func combineFew(_ source: Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> UInt64 {
    var seen: UInt8 = 0
    for offset in source.indices {
      let byte = source[offset] ^ UInt8(truncatingIfNeeded: bits &>> UInt32(offset & 3 &* 8))
      unsafe target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      seen |= byte
    }
    return UInt64(seen)
  }

  @inline(always)
  private static func combine(
    _ mask: SIMD2<UInt64>, _ source: Span<UInt8>, into target: UnsafeMutableRawBufferPointer, at offset: Int
  ) -> SIMD2<UInt64> {
    // Both have sixteen bytes there: nothing else is asked for above.
    let loaded = unsafe source.bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: offset, as: SIMD2<UInt64>.self)
    let word = loaded ^ mask
    unsafe target.baseAddress.unsafelyUnwrapped.storeBytes(
      of: word, toByteOffset: offset, as: SIMD2<UInt64>.self)
    return word
  }

  @inline(always)
  private static func combine(
    _ mask: UInt64, _ source: Span<UInt8>, into target: UnsafeMutableRawBufferPointer, at offset: Int
  ) -> UInt64 {
    // Both have eight bytes there: nothing else is asked for above.
    let loaded = unsafe source.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    let word = loaded ^ mask
    unsafe target.baseAddress.unsafelyUnwrapped.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
    return word
  }

  private static func twice(_ bits: UInt32) -> UInt64 { UInt64(bits) &<< 32 | UInt64(bits) }

  /// The mask for what stands behind so many bytes.
  private func turned(by count: Int) -> UInt32 {
    let shift = UInt32(truncatingIfNeeded: count & 3 &* 8)
    return bits &>> shift | bits &<< (32 &- shift)
  }

  private mutating func turn(by count: Int) { bits = turned(by: count) }
}
